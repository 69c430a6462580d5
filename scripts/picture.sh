#!/usr/bin/env bash
# The picture of the README: runs its study and draws it. Usage: scripts/picture.sh [FILE.svg [TANDEM]]; by default the README's own, with the program of build/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

picture="${1:-docs/pictures/strategies-compute-link.svg}"
tandem="${2:-build/tandem}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tandem" sweep workloads/studies/strategies-compute-link.yaml --store "$work/study.sqlite" -q -o "$work/study.csv"
"$tandem" report "$work/study.sqlite" --svg "$picture" --chart speedup
