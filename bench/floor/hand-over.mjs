// node hand-over.mjs BATCH MESSAGES RUNS: the floor of memory-null.mjs: one side makes the same batches and puts them into
// a bounded array, the other awaits them; two promises a batch and nothing else. Prints the same figures.
const [size, total, runs] = process.argv.slice(2).map(Number);
const SLOTS = 100;
const payload = Buffer.alloc(190, "x");
const figures = [];
for (let run = 0; run <= runs; run += 1) {
  const figure = await pass();
  if (run > 0) figures.push(figure);
}
console.log(JSON.stringify(figures));

async function pass() {
  const slots = [];
  let wakeReader = () => {};
  let wakeWriter = () => {};
  const began = process.hrtime.bigint();
  const received = read();
  for (let sent = 0; sent < total; sent += size) {
    if (slots.length >= SLOTS) await new Promise((resolve) => (wakeWriter = resolve));
    slots.push(Array.from({ length: Math.min(size, total - sent) }, () => ({ payload })));
    wakeReader();
    await undefined;
  }
  if ((await received) !== total) throw new Error("messages were lost");
  return Number(process.hrtime.bigint() - began) / total;

  async function read() {
    let count = 0;
    while (count < total) {
      if (slots.length === 0) await new Promise((resolve) => (wakeReader = resolve));
      const batch = slots.shift();
      count += batch.length;
      wakeWriter();
      await undefined;
    }
    return count;
  }
}
