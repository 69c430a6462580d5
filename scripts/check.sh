#!/usr/bin/env bash
# The whole gate: format, release build, clang-tidy, sanitizers, determinism at two optimisation levels, fuzzers, and last all tests. --fast: release build and quick tests.
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
cmake --preset release -DTANDEM_TESTS=ON
cmake --build --preset release
if $fast; then
  step "quick tests"
  tests build --label-exclude gate
  exit 0
fi

step "clang-format"
find src tests \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 -r clang-format --dry-run --Werror

step "clang-tidy"
scripts/tidy.sh build

# Address sanitizer mistakes SimGrid's raw contexts for stack overflows: actors run on threads here, which makes long runs too slow.
# Labels: `gate` runs documented commands at full size, `large` repeats other tests at sizes that take seconds.
step "address and undefined-behaviour sanitizers"
cmake --preset asan -DTANDEM_TESTS=ON -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1"
cmake --build --preset asan
export TANDEM_CONTEXT_FACTORY=thread
tests build-asan --label-exclude 'gate|large' --exclude-regex '^(bench|docs|layers)\.'

# The sanitized program is another optimisation level (-O1) too: no third build is needed.
step "same bytes at -O1 and -O3, run twice"
scripts/same_bytes.sh build/tandem build/tandem build-asan/tandem
unset TANDEM_CONTEXT_FACTORY

step "fuzzers, on the inputs that are known"
scripts/fuzz.sh 0

step "all tests"
tests build
