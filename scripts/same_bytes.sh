#!/usr/bin/env bash
# Runs each given tandem program on the same inputs and refuses any difference between their JSON. Usage: same_bytes.sh PROGRAM PROGRAM...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
(($# >= 2)) || { echo "same_bytes.sh: needs two programs or more" >&2; exit 2; }

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# Name of what runs, then the command's arguments.
same() {
  local name=$1 number=0
  shift
  for program in "${programs[@]}"; do
    number=$((number + 1))
    "$program" "$@" --format json -o "$out/$number.json"
    [[ -s "$out/$number.json" ]] || { echo "same_bytes.sh: $program wrote nothing for $name" >&2; exit 1; }
    if ! cmp "$out/1.json" "$out/$number.json"; then
      echo "same_bytes.sh: $name: run $number ($program) differs from run 1 (${programs[0]})" >&2
      diff "$out/1.json" "$out/$number.json" | head -n 20 >&2 || true
      exit 1
    fi
  done
  echo "$name: ${#programs[@]} runs, same bytes"
}

programs=("$@")
for workload in workloads/t3.yaml workloads/examples/*.yaml; do
  same "$workload" compare "$workload"
done
for operation in allreduce alltoall broadcast; do
  algorithms=(--strategy direct)
  [[ $operation == alltoall ]] || algorithms+=(--strategy ring --strategy tree)
  same "$operation" collective "$operation" --platform platforms/dgx-h100.xml "${algorithms[@]}"
done
