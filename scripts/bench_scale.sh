#!/usr/bin/env bash
# Time and memory of all-reduces of 64 MiB by number of GPUs, each GPU played (--fold off) and one for all that do the same (--fold on).
# Prints a table, and CSV into the file given with --csv. --quick stops at 1,024 GPUs. All sizes take some minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --preset release >&2
cmake --build --preset release --target tandem >&2
exec python3 -B scripts/bench_scale.py build/tandem "$@"
