#!/usr/bin/env bash
# clang-tidy over src in parallel. Skips a file whose text, own headers and checks are as when it last passed. Usage: tidy.sh BUILD
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:?usage: tidy.sh BUILD (a configured and built Ninja folder)}
export build stamps="$build/tidy"
mkdir -p "$stamps"

# One line per source file: the file, then everything below src that it includes, as the compiler reported it.
dependencies() {
  ninja -C "$build" -t deps | awk -v src="$PWD/src/" '
    function flush() { if (file != "") print file list; file = ""; list = "" }
    /^[^ ]/ { flush(); next }
    { path = $1; if (path !~ /^\//) path = base "/" path; if (index(path, src) != 1) next
      if (path ~ /\.cpp$/ && file == "") file = path; else list = list " " path }
    END { flush() }' base="$PWD/$build" | sort -u
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

mapfile -t sources < <(find "$PWD/src" -name '*.cpp' | sort)
mapfile -t known < <(dependencies)
if ((${#known[@]} < ${#sources[@]})); then
  echo "tidy.sh: $build has compiled ${#known[@]} of ${#sources[@]} source files; build it first" >&2
  exit 1
fi
# shellcheck disable=SC2016 # the inner bash expands it
printf '%s\0' "${known[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -euo pipefail -c 'tidy_one "$0"'
