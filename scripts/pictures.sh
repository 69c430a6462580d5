#!/usr/bin/env bash
# The pictures of README.md and docs/studies.md: runs their studies and draws them. Usage: scripts/pictures.sh [FOLDER [TANDEM [STORES]]]; by default docs/pictures, with the program of build/. STORES: a folder that keeps each study's store and CSV.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder="${1:-docs/pictures}"
tandem="${2:-build/tandem}"
stores="${3:-}"
if [[ -z "$stores" ]]; then
  stores=$(mktemp -d)
  trap 'rm -rf "$stores"' EXIT
fi

# draw STUDY CHART
draw() {
  "$tandem" sweep "workloads/studies/$1.yaml" --store "$stores/$1.sqlite" -q -o "$stores/$1.csv"
  "$tandem" report "$stores/$1.sqlite" --svg "$folder/$1.svg" --chart "$2"
}

mkdir -p "$folder"
draw strategies-compute-link speedup
draw compression-bandwidth time_us
draw oversubscription time_us
draw weak-llama2-70b-dgx-h100 efficiency
draw strong-gpt3-175b-dgx-a100 efficiency
