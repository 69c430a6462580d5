#!/usr/bin/env bash
# Builds the fuzzers (tests/fuzz) and runs each for some seconds; stops at the first bad input. Usage: fuzz.sh [SECONDS] [TARGET...]
# 0 seconds: only the inputs that are known, which is what the gate runs, so that it does not depend on luck.
# What it learns is kept in build-checked/corpus; an input that fails is left in build-checked/found: TARGET FILE runs it again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-60}
[[ "$seconds" =~ ^[0-9]+$ ]] || { echo "fuzz.sh: '$seconds' is not a number of seconds" >&2; exit 2; }
targets=("${@:2}")

cmake --preset checked
cmake --build --preset checked --target fuzzers
((${#targets[@]})) || mapfile -t targets < <(basename -s .cpp tests/fuzz/fuzz_*.cpp)

# Shipped files are the seeds that hold every key; the big ones would only slow it down.
for target in "${targets[@]}"; do
  mkdir -p "build-checked/corpus/$target" "build-checked/seeds/$target" build-checked/found
done
small() { find "$1" -maxdepth 1 -name "$2" -size -8k -exec cp -t "build-checked/seeds/$3" {} +; }
[[ ! -d build-checked/seeds/fuzz_platform ]] || small platforms '*.xml' fuzz_platform
[[ ! -d build-checked/seeds/fuzz_device ]] || small platforms/devices '*.yaml' fuzz_device
if [[ -d build-checked/seeds/fuzz_workload ]]; then
  small workloads '*.yaml' fuzz_workload
  small workloads/examples '*.yaml' fuzz_workload
fi

# A leak would be found at exit; looking for one after every input is slow, and pools of the libraries stay anyway.
export UBSAN_OPTIONS=print_stacktrace=1 seconds
fuzz_one() {
  local log=build-checked/$1.log limit=-max_total_time=$seconds
  [[ "$seconds" != 0 ]] || limit=-runs=0
  if ! "build-checked/tests/fuzz/$1" -seed=1 "$limit" -timeout=5 -rss_limit_mb=2048 -max_len=4096 \
    -detect_leaks=0 -artifact_prefix="build-checked/found/$1-" \
    "build-checked/corpus/$1" "tests/fuzz/corpus/$1" "build-checked/seeds/$1" >"$log" 2>&1 </dev/null; then
    tail -n 40 "$log"
    echo "$1: failed; see $log"
    return 1
  fi
  echo "$1: $(grep '^Done ' "$log")"
}
export -f fuzz_one
# shellcheck disable=SC2016 # the inner bash expands it
printf '%s\0' "${targets[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -euo pipefail -c 'fuzz_one "$0"'
