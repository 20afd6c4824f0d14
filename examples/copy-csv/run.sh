set -eu
rm -rf out
mqb copy 'file:orders.csv?format=csv' 'file:out/orders.jsonl?format=raw' --drain
