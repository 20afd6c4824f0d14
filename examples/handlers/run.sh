set -eu
tsx main.ts
