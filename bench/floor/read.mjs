// node read.mjs IN: the bytes are read, 1 MiB at a time, and that is all.
import { openSync, readSync } from "node:fs";

const from = openSync(process.argv[2], "r");
const chunk = Buffer.allocUnsafe(1 << 20);
while (readSync(from, chunk) > 0);
