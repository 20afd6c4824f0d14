set -eu
rm -rf out
tsx main.ts
