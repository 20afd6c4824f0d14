import { checkConfiguration, loadConfiguration, renderProblem } from "../src/index.ts";
import { fakeRegistry } from "./fake-plugin.ts";

export const DEFAULTS = { concurrency: 4, batch_size: 1024 };

/** Loads one document called `c.yml` and checks it against the fake plugins. */
export function checkText(text: string, environment: Record<string, string> = {}) {
  const configuration = loadConfiguration([{ name: "c.yml", text, format: "yaml" }], environment);
  const checked = checkConfiguration(configuration, fakeRegistry(), DEFAULTS);
  return {
    configuration,
    checked,
    lines: checked.problems.map((problem) => renderProblem(problem)),
    framed: checked.problems.map((problem) => renderProblem(problem, { frame: true })).join("\n"),
    /** The file endpoint of the first route's input. */
    file: (checked.routes[0]?.config as { input?: { file?: Record<string, unknown> } })?.input?.file,
  };
}
