#!/bin/sh
# Installs node-rdkafka outside of the workspace for the tests of `engine: rdkafka`, which are skipped without it. It is built
# from its sources: g++, make, Python and OpenSSL's headers are needed, and two minutes or more.
set -eu
folder=${MQB_TEST_RDKAFKA:-${XDG_CACHE_HOME:-$HOME/.cache}/mqb-services/node-rdkafka-3.6.1}
mkdir -p "$folder"
# The headers that came with Node, where they did.
prefix=$(node -p 'require("node:path").join(process.execPath, "..", "..")')
[ -d "$prefix/include/node" ] && export npm_config_nodedir="$prefix"
npm install --no-audit --no-fund --prefix "$folder" node-rdkafka@3.6.1
