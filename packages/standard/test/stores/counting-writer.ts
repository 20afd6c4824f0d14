// Run as a process of its own: counts up in a file store as fast as it can, and prints each number once it is written.
import { systemClock } from "@mqb/core/plugin";
import { openFile } from "../../src/stores/file/store.ts";

const [path, name] = process.argv.slice(2) as [string, string];
const store = await openFile(path, systemClock);
const [before] = await store.getMany([name]);
for (let n = before ? Number(Buffer.from(before.value).toString()) + 1 : 1; ; n++) {
  // Many entries, so that a write takes long enough to be interrupted.
  const filler = Array.from({ length: 200 }, (_, i) => ({
    key: `${name} ${i}`,
    value: Buffer.from(`${n} `.repeat(50)),
  }));
  await store.putMany([...filler, { key: name, value: Buffer.from(String(n)) }]);
  process.stdout.write(`${n}\n`);
}
