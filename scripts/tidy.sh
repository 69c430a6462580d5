#!/usr/bin/env bash
# clang-tidy over src in parallel, as the build compiles it: with TANDEM_UNITY, ten sources at once, so that common headers are walked through once.
# Skips a unit whose text, own headers and checks are as when it last passed. Usage: tidy.sh BUILD
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:?usage: tidy.sh BUILD (a configured and built Ninja folder)}
export build stamps="$build/tidy"
mkdir -p "$stamps"

# One line per unit that was compiled for src: the unit, then everything below src that it includes, as the compiler reported it.
units() {
  ninja -C "$build" -t deps | awk -v src="$PWD/src/" -v base="$PWD/$build/" '
    function flush() { if (unit != "") print unit list; unit = ""; list = "" }
    /^[^ ]/ { flush(); ours = ($1 ~ /^src\//); next }
    !ours || NF == 0 { next }
    { path = $1; if (path !~ /^\//) path = base path
      if (unit == "" && path ~ /\.(cpp|cxx)$/) unit = path; else if (index(path, src) == 1) list = list " " path }
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
while read -r source; do
  [[ "${known[*]} " == *" $source "* || "${known[*]} " == *"$source "* ]] || { echo "tidy.sh: $build has not compiled $source; build it first" >&2; exit 1; }
done < <(find "$PWD/src" -name '*.cpp' | sort)
# shellcheck disable=SC2016 # the inner bash expands it
printf '%s\0' "${known[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -euo pipefail -c 'tidy_one "$0"'
