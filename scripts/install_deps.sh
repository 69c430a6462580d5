#!/usr/bin/env bash
# Installs with apt-get what Tandem needs on Debian 12 and is missing. --build-only leaves out what only tests and checks need.
set -euo pipefail

build_packages=(build-essential g++ cmake ninja-build pkg-config ccache libsimgrid-dev libboost-graph-dev libspdlog-dev
  libfmt-dev libcli11-dev libyaml-cpp-dev nlohmann-json3-dev libpugixml-dev libsqlite3-dev
  libmimalloc-dev)
test_packages=(git libgtest-dev libgmock-dev libbenchmark-dev clang-format clang-tidy clang libclang-rt-14-dev python3
  python3-pandas python3-matplotlib parallel slurm-wlm munge chromium fonts-dejavu-core)

case "${1:-}" in
  "") packages=("${build_packages[@]}" "${test_packages[@]}") ;;
  --build-only) packages=("${build_packages[@]}") ;;
  *)
    echo "install_deps.sh: unknown argument '$1'; allowed: --build-only" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install_deps.sh: needs a Debian system (dpkg-query and apt-get); install by other means: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ "$status" == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if (($(id -u) != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "install_deps.sh: missing packages, and neither root nor sudo to install them: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
