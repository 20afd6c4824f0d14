set -eu
rm -rf out
mqb run mqb.yaml
