#!/usr/bin/env bash
# Runs each given tandem program on the same inputs and refuses any difference between their JSON. Usage: same_bytes.sh PROGRAM PROGRAM...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
(($# >= 2)) || { echo "same_bytes.sh: needs two programs or more" >&2; exit 2; }

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for workload in workloads/t3.yaml workloads/examples/*.yaml; do
  number=0
  for program in "$@"; do
    number=$((number + 1))
    "$program" compare "$workload" --format json -o "$out/$number.json"
    [[ -s "$out/$number.json" ]] || { echo "same_bytes.sh: $program wrote nothing for $workload" >&2; exit 1; }
    if ! cmp "$out/1.json" "$out/$number.json"; then
      echo "same_bytes.sh: $workload: run $number ($program) differs from run 1 ($1)" >&2
      diff "$out/1.json" "$out/$number.json" | head -n 20 >&2 || true
      exit 1
    fi
  done
  echo "$workload: $# runs, same bytes"
done
