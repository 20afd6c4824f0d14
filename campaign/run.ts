// pnpm campaign: README.md says what it does and what its figures mean.
import { parseArgs } from "node:util";
import { type CampaignResult, runCampaign } from "./src/campaign.ts";
import { pairs } from "./src/pairs/index.ts";
import { EVENT_KINDS, type EventKind } from "./src/plan.ts";
import { report } from "./src/report.ts";
import { isInstalled } from "./src/servers.ts";

const SHORT = 8;
const LONG = 200;
const USAGE = `usage: pnpm campaign [PAIR…] [--rounds ${SHORT} | --long] [--minutes N] [--seed N] [--events LIST] [--fault NAME] [--keep]

  --long   ${LONG} rounds a pair
  --minutes of a pair: no round begins after that, and the ledger says how many there were
  --seed   repeats the rounds of an earlier campaign; without it one is chosen, and printed
  --events only these happen, separated by commas: ${EVENT_KINDS.join(", ")}
  --fault  puts a fault of campaign/faults into each route, which the campaign has to find: commits-early
  --keep   keeps the folders
  pairs    ${pairs.map(({ name }) => name).join(" ")}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string" },
    long: { type: "boolean", default: false },
    minutes: { type: "string" },
    seed: { type: "string" },
    events: { type: "string" },
    fault: { type: "string" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const events = values.events?.split(",") as EventKind[] | undefined;
const unknown = [
  ...positionals.filter((name) => !pairs.some((pair) => pair.name === name)),
  ...(events ?? []).filter((kind) => !EVENT_KINDS.includes(kind)),
];
const rounds = Number(values.rounds ?? (values.long ? LONG : SHORT));
const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (values.help || unknown.length > 0 || !(rounds >= 1) || !(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error(unknown.length > 0 ? `not known: ${unknown.join(", ")}\n\n${USAGE}` : USAGE);
  process.exit(values.help ? 0 : 2);
}

const { fault, keep } = values;
const results: CampaignResult[] = [];
let leftOut = false;
for (const pair of pairs.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const log = (line: string): void => console.error(`${pair.name}: ${line}`);
  const missing: string[] = [];
  for (const name of pair.needs) if (!(await isInstalled(name))) missing.push(name);
  if (missing.length > 0) {
    log(`left out: run scripts/services install ${missing.join(" ")}`);
    leftOut = true;
    continue;
  }
  log(`seed ${seed}, ${rounds} rounds`);
  const options = {
    rounds,
    minutes,
    seed,
    keep,
    log,
    ...(fault !== undefined && { fault }),
    ...(events && { events }),
  };
  results.push(await runCampaign(pair, options));
}
console.log(report(results));
// What was broken on purpose has to be found, in every pair.
const isBroken = ({ faults }: CampaignResult): boolean => faults.length > 0;
const isFound = ({ tally, hits }: CampaignResult): boolean => tally.lost > 0 && hits > 0;
const isAsExpected = fault === undefined ? !results.some(isBroken) : results.every(isFound);
// A contributor may lack a server; CI lacks none. Ends at once: what a killed process has left open says nothing of the product.
process.exit(isAsExpected && !(leftOut && process.env["CI"]) ? 0 : 1);
