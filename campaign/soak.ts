// pnpm soak: README.md says what it does and what its figures mean.
import { parseArgs } from "node:util";
import { isInstalled } from "./src/servers.ts";
import { brokers } from "./src/soak/brokers.ts";
import { soakReport } from "./src/soak/report.ts";
import { runSoak, type SoakResult } from "./src/soak/soak.ts";

const USAGE = `usage: pnpm soak [BROKER…] [--minutes 30] [--restart-every 120] [--rate ROWS]

  --restart-every  seconds between two restarts of the broker; 0 = none
  --rate           rows a second; without it half of what goes through at most, which is measured first
  brokers          ${Object.keys(brokers).join(" ")}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "30" },
    "restart-every": { type: "string", default: "120" },
    rate: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const unknown = positionals.filter((name) => !(name in brokers));
const [minutes, restartEvery] = [Number(values.minutes), Number(values["restart-every"])];
const rate = values.rate === undefined ? undefined : Number(values.rate);
if (values.help || unknown.length > 0 || !(minutes > 0) || !(restartEvery >= 0) || !(rate === undefined || rate > 0)) {
  console.error(unknown.length > 0 ? `not known: ${unknown.join(", ")}\n\n${USAGE}` : USAGE);
  process.exit(values.help ? 0 : 2);
}

const results: SoakResult[] = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(brokers)) {
  const log = (line: string): void => console.error(`${name}: ${line}`);
  if (!(await isInstalled(name))) {
    log(`left out: run scripts/services install ${name}`);
    process.exitCode = 1;
    continue;
  }
  results.push(await runSoak(name, brokers[name]!, { seconds: 60 * minutes, restartEvery, rate, log }));
}
console.log(soakReport(results));
if (results.some(({ faults }) => faults.length > 0)) process.exitCode = 1;
