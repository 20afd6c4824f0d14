import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { buildCli, startCli } from "./support/cli.ts";
import { fileGrows, fileHolds } from "./support/files.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

const CONFIGURATION = `routes:
  orders:
    input:
      file: { path: in.jsonl, format: raw }
      middlewares: [{ filter: "kind != 'noise'" }]
    output:
      file: { path: out.csv, format: csv, csv: { columns: [kind, user] } }
      middlewares: [{ metrics: {} }, { dlq: { endpoint: { file: { path: dead.txt, format: raw } } } }]
`;

/** Of 20 rows one is filtered and one cannot become a row of the target; each has a user of its own. */
const rows = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const user = `u${from + index}`;
    if (index % 20 === 7) return JSON.stringify({ kind: "noise", user });
    if (index % 20 === 13) return JSON.stringify({ other: user });
    return JSON.stringify({ kind: "order", user });
  })
    .map((row) => `${row}\n`)
    .join("");

it("what was received is accounted for at every scrape, and the series do not grow with the data", async () => {
  folder.write("config.yml", CONFIGURATION);
  folder.write("in.jsonl", rows(0, 100));
  const run = startCli(["run", "--metrics-addr", "127.0.0.1:0"], { cwd: folder.path });
  try {
    await run.stderr(/Started/);
    const url = /metrics at (http:\S+)/.exec(run.text())![1]!;
    const scrape = async () => samplesOf(await (await fetch(url)).text());
    await fileHolds(join(folder.path, "out.csv"), "u99");
    const before = await scrape();
    accounted(before);
    appendFileSync(join(folder.path, "in.jsonl"), rows(100, 5000));
    await fileGrows(join(folder.path, "out.csv"), 1000);
    accounted(await scrape());
    await fileHolds(join(folder.path, "out.csv"), "u5099");
    await expect.poll(async () => (await scrape()).get('mqb_route_in_flight_messages{route="orders"}')).toBe(0);
    const after = await scrape();
    accounted(after);
    expect([...after.keys()]).toEqual([...before.keys()]);
    const fates = Object.fromEntries(
      ["delivered", "filtered", "dead_lettered", "dropped", "nacked"].map((fate) => [fate, fateOf(after, fate)]),
    );
    expect(fates).toEqual({ delivered: 4590, filtered: 255, dead_lettered: 255, dropped: 0, nacked: 0 });
  } finally {
    run.child.kill();
    await run.done;
  }
});

type Samples = ReadonlyMap<string, number>;

function samplesOf(text: string): Samples {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.replace(/ \S+$/, ""), Number(/\S+$/.exec(line)![0])]));
}

function fateOf(samples: Samples, fate: string): number {
  return samples.get(`mqb_route_messages_total{route="orders",fate="${fate}"}`)!;
}

function accounted(samples: Samples): void {
  const fates = [...samples].filter(([name]) => name.startsWith("mqb_route_messages_total"));
  const settled = fates.reduce((sum, [, count]) => sum + count, 0);
  const inFlight = samples.get('mqb_route_in_flight_messages{route="orders"}')!;
  expect(samples.get('mqb_route_received_total{route="orders"}')).toBe(settled + inFlight);
}
