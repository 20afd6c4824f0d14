set -eu
rm -rf out
# The second run reads everything again, and passes nothing on.
mqb run --config mqb.yaml
mqb run --config mqb.yaml
