set -eu
rm -rf out
# The second run goes on with the totals that the first one has stored.
DAY=monday mqb run --config mqb.yaml
DAY=tuesday mqb run --config mqb.yaml
