import { execFileSync } from "node:child_process";
import { spread } from "./report.mjs";

/**
 * For jobs that measure themselves, in nanoseconds a message: contenders in turn, a new process each time, in which the
 * first pass warms up and the second one counts.
 * @param {readonly import("./measure.mjs").Contender[]} contenders  given the number of passes as last argument
 * @param {number} runs
 */
export function selfMeasured(contenders, runs) {
  const results = contenders.map((contender) => ({ contender, samples: [], verdict: contender.missing ?? "" }));
  for (let round = 0; round < runs; round += 1) {
    for (const result of results) {
      if (result.verdict !== "") continue;
      const [command, ...args] = result.contender.argv;
      try {
        const text = execFileSync(command, [...args, "1"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
        result.samples.push(JSON.parse(text)[0]);
      } catch (cause) {
        const line = String(cause.stderr)
          .split("\n")
          .find((text) => /error/i.test(text));
        result.verdict = `FAILED: ${line ?? cause.message}`;
      }
    }
  }
  return results;
}

export const selfMeasuredHead =
  "| case | who | ns a message (min–max) | ours ÷ it | |\n| --- | --- | --- | --- | --- |";

export function selfMeasuredRows(name, results) {
  const ours = results.find(({ contender }) => contender.kind === "ours");
  return results
    .map((result) => {
      const { contender, samples, verdict } = result;
      if (samples.length === 0) return `| ${name} | ${contender.name} | | | ${verdict} |`;
      const { min, median, max } = spread(samples);
      const own = result !== ours && ours !== undefined && ours.samples.length > 0 ? spread(ours.samples) : undefined;
      const [a, b, c] = [median, min, max].map(Math.round);
      return `| ${name} | ${contender.name} | ${a} (${b}–${c}) | ${own ? (own.median / median).toFixed(2) : ""} | ${verdict} |`;
    })
    .join("\n");
}
