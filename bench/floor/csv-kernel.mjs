// node csv-kernel.mjs IN OUT: CSV to JSON lines by the kernel of mqb and synchronous I/O, with no route around it.
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { CHUNK_HEADROOM, CsvToJson } from "../../packages/kernel/dist/index.js";

const CHUNK = 1 << 20;
const [input, output] = process.argv.slice(2);
const from = openSync(input, "r");
const to = openSync(output, "w");
let room = Buffer.allocUnsafeSlow(4 * CHUNK);
// A slab is written before the next one is asked for, so that all of them can have the same memory.
const reader = new CsvToJson({
  allocate: (size) => (size > room.length ? (room = Buffer.allocUnsafeSlow(size)) : room).subarray(0, size),
});

// The reader may still look at the last chunk while the next one is read.
const chunks = [0, 1].map(() => Buffer.allocUnsafeSlow(CHUNK_HEADROOM + CHUNK));
for (let turn = 0; ; turn ^= 1) {
  const chunk = chunks[turn];
  const n = readSync(from, chunk, CHUNK_HEADROOM, CHUNK, null);
  if (n === 0) break;
  reader.feed(chunk, CHUNK_HEADROOM, CHUNK_HEADROOM + n);
  drain();
}
reader.end();
drain();
closeSync(to);

function drain() {
  for (let slab = reader.take(65_536); slab !== undefined; slab = reader.take(65_536)) {
    const { bytes, starts, ends, count, terminator } = slab;
    if (count === 0) continue;
    if (!slab.contiguous) throw new Error("the kernel's slabs of CSV were contiguous once");
    const last = ends[count - 1] + terminator.length;
    for (let done = starts[0]; done < last; ) done += writeSync(to, bytes, done, last - done);
  }
}
