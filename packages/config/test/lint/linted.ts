import { checkConfiguration, loadConfiguration, renderProblem } from "../../src/index.ts";
import { registryWithStubs } from "../stubs/registry.ts";

const registry = await registryWithStubs();

/** What the check of a document says, one line each: `level CODE place: message; hint`. */
export function linesOf(text: string, environment: Readonly<Record<string, string>> = {}): string[] {
  const source = { name: "c", text, format: "yaml" } as const;
  const { problems } = checkConfiguration(loadConfiguration([source], environment), registry, DEFAULTS);
  return problems.map((one) => `${one.level} ${one.code} ${renderProblem(one)}`);
}

/** Of one route, from its sides in flow style: `input: {…}, output: {…}`. */
export function routeLines(sides: string, environment: Readonly<Record<string, string>> = {}): string[] {
  return linesOf(`r: {${sides}}`, environment);
}

const DEFAULTS = { concurrency: 1, batch_size: 1024 };
