import type { CampaignResult } from "./campaign.ts";

const HEAD = ["pair", "seed", "rounds", "rows", "lost", "twice", "may", "foreign", "reordered", "reconnects", "s", ""];

/** The ledger of all campaigns as a Markdown table, and under it what was wrong. */
export function report(results: readonly CampaignResult[]): string {
  const rows = results.map(({ pair, seed, rounds, tally, bound, reconnects, faults, seconds }) => [
    ...[pair, seed, rounds, tally.rows, tally.lost, tally.doubled, bound, tally.foreign, tally.reordered, reconnects],
    ...[Math.round(seconds), faults.length === 0 ? "held" : "BROKEN"],
  ]);
  const lines = [HEAD, HEAD.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const events = results.map(({ pair, events, hits }) => {
    const counts = Object.entries(events).map(([kind, count]) => `${kind} ${count}`);
    return `${pair}: ${counts.join(", ")}; ${hits} while rows were moving`;
  });
  const broken = results.flatMap(({ pair, seed, rounds, faults }) =>
    faults.length === 0
      ? []
      : ["", `${pair} with --seed ${seed} --rounds ${rounds}:`, ...faults.map((one) => `  ${one}`)],
  );
  return [...lines, "", ...events, ...broken].join("\n");
}
