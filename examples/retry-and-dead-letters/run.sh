set -eu
rm -rf out
mqb run --config mqb.yaml
