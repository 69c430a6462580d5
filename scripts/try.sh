#!/usr/bin/env bash
# From a fresh clone to a first result: installs what is missing, builds build/tandem, compares the strategies of T3's sub-layers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_deps.sh --build-only
[[ -d build ]] && unity=() || unity=(-DTANDEM_UNITY=ON)
cmake --preset release -DTANDEM_TESTS=OFF "${unity[@]}"
cmake --build --preset release --target tandem
build/tandem compare workloads/t3.yaml
