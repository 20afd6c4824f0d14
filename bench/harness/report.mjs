// Figures as Markdown: medians with their spread, and ratios, which are what counts.

const HEAD = ["case", "who", "wall s (min–max)", "CPU s", "RSS MiB", "ours ÷ it: wall", "CPU", "output"];

export const tableHead = `${row(HEAD)}\n${row(HEAD.map(() => "---"))}`;

/**
 * The rows of one case.
 * @param {string} name
 * @param {Awaited<ReturnType<import("./measure.mjs").compete>>} results
 */
export function tableRows(name, results) {
  const ours = results.find(({ contender }) => contender.kind === "ours");
  return results
    .map((result) => {
      const { contender, samples, verdict } = result;
      if (samples.length === 0) return row([name, contender.name, "", "", "", "", "", verdict || "not run"]);
      const { wall, cpu, rss } = summary(samples);
      const own = result !== ours && ours !== undefined && ours.samples.length > 0 ? summary(ours.samples) : undefined;
      return row([
        name,
        contender.name,
        `${seconds(wall.median)} (${seconds(wall.min)}–${seconds(wall.max)})`,
        seconds(cpu.median),
        String(Math.round(rss.median / 1024 / 1024)),
        own ? (own.wall.median / wall.median).toFixed(2) : "",
        own ? (own.cpu.median / cpu.median).toFixed(2) : "",
        verdict,
      ]);
    })
    .join("\n");
}

/** @param {readonly import("./measure.mjs").Sample[]} samples */
export function summary(samples) {
  return {
    wall: spread(samples.map(({ wall }) => wall)),
    cpu: spread(samples.map(({ user, sys }) => user + sys)),
    rss: spread(samples.map(({ rss }) => rss)),
  };
}

/** @param {readonly number[]} values */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { min: sorted[0], median, max: sorted.at(-1) };
}

function row(cells) {
  return `| ${cells.join(" | ")} |`;
}

function seconds(value) {
  return value < 10 ? value.toFixed(value < 1 ? 3 : 2) : value.toFixed(1);
}
