set -eu
rm -rf out
mkdir out
node create.mjs
mqb run --config mqb.yaml
mqb run --config back.yaml
