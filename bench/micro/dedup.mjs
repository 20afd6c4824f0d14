// node --expose-gc dedup.mjs [KEYS]: how much memory the keys of deduplication take, and how many it looks up in a second, alone.
// With a folder as second argument also the log: written, and read again. Build first: pnpm tsc -b plugins/dedup
import { performance } from "node:perf_hooks";
import { KeyHash } from "../../plugins/dedup/dist/key/hash.js";
import { openFolder } from "../../plugins/dedup/dist/log/open.js";
import { Seen } from "../../plugins/dedup/dist/seen.js";
import { Table } from "../../plugins/dedup/dist/table/table.js";

const [keys = "10000000", folder] = process.argv.slice(2);
const COUNT = Number(keys);
const BATCH = 1024;
const EXPIRES = Date.now() + 3_600_000;
const FATE = { failed: undefined, answers: undefined, expiresAt: EXPIRES };
const rss = () => Math.round(process.memoryUsage.rss() / 1024 / 1024);
const log = { debug() {}, info() {}, warn: console.warn, error: console.error };
const clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  timer: (ms, run) => clearTimeout.bind(undefined, setTimeout(run, ms)),
};

globalThis.gc?.();
const before = rss();
console.log(`before: ${before} MiB`);
const opened = folder === undefined ? undefined : await openFolder(folder, { clock, log, readOnly: false });
const seen = opened ? new Seen(opened.seed, opened.table, opened.log) : new Seen(new Uint8Array(16), new Table());
await pass("new", 0);
await pass("known", 0);
await seen.close();
if (folder !== undefined) {
  const from = performance.now();
  const again = await openFolder(folder, { clock, log, readOnly: false });
  console.log(`read again: ${again.table.size} keys in ${Math.round(performance.now() - from)} ms`);
  await again.log.close();
}

async function pass(what) {
  const hash = new KeyHash(seen.seed);
  const key = Buffer.alloc(24);
  const from = performance.now();
  let fresh = 0;
  for (let at = 0; at < COUNT; at += BATCH) {
    const holder = seen.begin(BATCH, Date.now());
    for (let i = at; i < at + BATCH && i < COUNT; i++) {
      key.write(`order-${i}`, "latin1");
      hash.hash(key, 0, 20, 0);
      seen.take(holder, hash.words, 1);
    }
    fresh += holder.count;
    const stored = seen.settle(holder, FATE);
    if (stored) await stored;
  }
  globalThis.gc?.();
  const rate = Math.round(COUNT / (performance.now() - from));
  console.log(`${what}: ${fresh} of ${COUNT} keys were new, ${rate} thousand a second; ${rss() - before} MiB more`);
}
