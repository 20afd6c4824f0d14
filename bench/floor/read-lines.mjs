// node read-lines.mjs IN: reads the bytes and finds every line feed: the least that a source of records must do.
import { openSync, readSync } from "node:fs";

const from = openSync(process.argv[2], "r");
const chunk = Buffer.allocUnsafe(1 << 20);
let lines = 0;
for (let n = readSync(from, chunk); n > 0; n = readSync(from, chunk)) {
  const bytes = chunk.subarray(0, n);
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines += 1;
}
console.log(lines);
