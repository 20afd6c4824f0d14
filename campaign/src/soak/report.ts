import type { SoakResult } from "./soak.ts";
import { thirds } from "./verdict.ts";

const HEAD = ["broker", "minutes", "rows/s at most", "rows/s", "restarts", "rows", "lost", "twice", "foreign"];
const MORE = ["reconnects", "CPU", ""];
const MEBIBYTE = 1 << 20;

/** Two Markdown tables: what has become of the rows, and what the process held in each third of the time. */
export function soakReport(results: readonly SoakResult[]): string {
  const rows = results.map((one) => [
    ...[one.broker, (one.seconds / 60).toFixed(1), Math.round(one.most), Math.round(one.rate), one.restarts],
    ...[one.rows, one.lost, one.twice, one.foreign, one.reconnects],
    ...[`${(100 * one.cpu).toFixed(0)} %`, one.faults.length === 0 ? "held" : "BROKEN"],
  ]);
  const held = results.flatMap(({ broker, samples }) =>
    thirds(samples).map(({ what, means }) => {
      const isCount = what === "handles" || what === "fds";
      const shown = means.map((mean) => (isCount ? mean.toFixed(1) : `${(mean / MEBIBYTE).toFixed(1)} MiB`));
      return [broker, what, ...shown];
    }),
  );
  const faults = results.flatMap(({ broker, faults }) => faults.map((one) => `${broker}: ${one}`));
  return [
    ...table([...HEAD, ...MORE], rows),
    "",
    ...table(["broker", "mean of", "first third", "second third", "last third"], held),
    ...(faults.length > 0 ? ["", ...faults] : []),
  ].join("\n");
}

function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string[] {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}
