set -eu
rm -rf out
mkdir out
node create.mjs
mqb run --config mqb.yaml
mqb run --config back.yaml
# Whole messages are kept aside, to be mended and sent again; here is why they were refused.
sed -E 's/.*"mq_bridge.dlq.error":"([^"]*)".*/\1/' out/refused.jsonl > out/reasons.txt
