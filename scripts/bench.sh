#!/usr/bin/env bash
# Builds the benchmark of the engine, runs it, and prints a table: the engine against a bare SimGrid loop with the same activities.
# Arguments go to the benchmark, e.g. --benchmark_filter=ranks:64. All sizes take some minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --preset release -DTANDEM_TESTS=ON >&2
cmake --build --preset release --target bench_engine >&2
results=$(mktemp)
trap 'rm -f "$results"' EXIT
build/tests/bench_engine --benchmark_out="$results" --benchmark_out_format=json "$@" >&2
python3 scripts/bench_table.py "$results"
