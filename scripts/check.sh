#!/usr/bin/env bash
# The whole gate: release build, format, a build with sanitizers, clang-tidy, determinism across compilers and optimisation levels, fuzzers, and last all tests. --fast: release build and quick tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fast=false
case "${1:-}" in
  "") ;;
  --fast) fast=true ;;
  *)
    echo "check.sh: unknown argument '$1'; allowed: --fast" >&2
    exit 2
    ;;
esac

step() { printf '\n== %s (%d s)\n' "$1" "$SECONDS"; }

# Tests that are labelled `gate` run documented commands at full size: neither quick nor of use under a sanitizer.
tests() { ctest --test-dir "$1" --parallel "$(nproc)" --output-on-failure --no-tests=error --no-label-summary "${@:2}"; }

scripts/install_deps.sh

step "release build"
# A first build takes ten sources at once; a folder that is there keeps its way.
[[ -d build ]] && unity=() || unity=(-DTANDEM_UNITY=ON)
cmake --preset release -DTANDEM_TESTS=ON "${unity[@]}"
cmake --build --preset release
if $fast; then
  step "quick tests"
  tests build --label-exclude gate
  exit 0
fi

step "clang-format"
find src tests \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 -r clang-format --dry-run --Werror

# One build serves the sanitizers, the fuzzers, clang-tidy and the comparison with another compiler and optimisation level.
# AddressSanitizer follows SimGrid's actors as ucontext, with a warning about each process that goes to a file, out of what tests read.
# Labels: `gate` runs documented commands at full size, `large` repeats other tests at sizes that take seconds.
step "build with clang and sanitizers"
cmake --preset checked -DTANDEM_TESTS=ON
cmake --build --preset checked

step "clang-tidy"
scripts/tidy.sh build-checked

step "tests under the address and undefined-behaviour sanitizers"
export TANDEM_CONTEXT_FACTORY=ucontext
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
chmod 1777 "$reports" # some tests run as another user
export ASAN_OPTIONS=log_path=$reports/asan
if ! tests build-checked --label-exclude 'gate|large' --exclude-regex '^(bench|docs|layers)\.'; then
  grep -ls ERROR: "$reports"/* | xargs -r cat
  exit 1
fi

step "same bytes of gcc -O3 and clang -O1, run twice"
scripts/same_bytes.sh build/tandem build/tandem build-checked/tandem
unset TANDEM_CONTEXT_FACTORY ASAN_OPTIONS

step "fuzzers, on the inputs that are known"
scripts/fuzz.sh 0

step "all tests"
tests build
