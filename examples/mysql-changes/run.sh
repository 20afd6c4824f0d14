set -eu
rm -rf out
mkdir out
export MYSQL_URL="${MYSQL_URL:-mysql://root@127.0.0.1:3306/test}"
node shop.mjs open
mqb run --config mqb.yaml --drain
# Nobody looks while the table changes; the second run goes on where the first one has ended.
node shop.mjs trade
mqb run --config mqb.yaml --drain
node shop.mjs close
