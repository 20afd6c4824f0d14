#!/bin/sh
# Installs the peers into a virtual environment: python3 with its venv module is needed (Debian: python3-venv).
set -eu
cache=${MQB_BENCH_CACHE:-$HOME/.cache/mqb-bench}
mkdir -p "$cache"
[ -x "$cache/peers/bin/python" ] || python3 -m venv "$cache/peers"
"$cache/peers/bin/pip" install --quiet --disable-pip-version-check mq-bridge==1.2.0 duckdb==2.0.1
echo "peers are in $cache/peers"
