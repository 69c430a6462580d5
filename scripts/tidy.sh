#!/usr/bin/env bash
# clang-tidy over src in parallel, as the build compiles it: with TANDEM_UNITY, ten sources at once, so that common headers are walked through once.
# Skips a unit whose text, own headers and checks are as when it last passed. Usage: tidy.sh BUILD
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:?usage: tidy.sh BUILD (a configured and built Ninja folder below the root)}
export build stamps="$build/tidy"
mkdir -p "$stamps"

# One line per unit that was compiled for src: the unit, then everything below src that it includes, as the compiler reported it.
units() {
  ninja -C "$build" -t deps | awk -v root="$PWD/" -v build="$build/" '
    function flush() { if (unit != "") print unit list; unit = ""; list = "" }
    /^[^ ]/ { flush(); ours = /^src\// }
    !/^ / || !ours { next }
    { path = $1
      if (sub(/^\.\.\//, "", path)) path = root path; else if (path !~ /^\//) path = root build path
      if (unit == "" && path ~ /\.(cpp|cxx)$/) unit = path; else if (index(path, root "src/") == 1) list = list " " path }
    END { flush() }' | sort -u
}

tidy_one() {
  read -r -a files <<<"$1"
  stamp="$stamps/$(cat .clang-tidy "${files[@]}" | sha256sum | cut -d ' ' -f 1)"
  [[ -e "$stamp" ]] && return 0
  echo "${files[0]#"$PWD"/}"
  clang-tidy -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option "${files[0]}" 2> >(grep -v 'warnings\? \(generated\|treated\)' >&2)
  touch "$stamp"
}
export -f tidy_one

mapfile -t known < <(units)
missing=$(comm -23 <(find "$PWD/src" -name '*.cpp' | sort) <(printf '%s\n' "${known[@]}" | tr ' ' '\n' | sort -u))
if [[ -n "$missing" ]]; then
  printf 'tidy.sh: %s has not compiled:\n%s\n' "$build" "$missing" >&2
  exit 1
fi
# shellcheck disable=SC2016 # the inner bash expands it
printf '%s\0' "${known[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -euo pipefail -c 'tidy_one "$0"'
