import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { checkConfiguration, loadConfiguration, renderProblem } from "@mqb/config";
import { endpointFromUri, type Names, namesInUri, parseUri, withReferences } from "@mqb/config/uri";
import { isMqbError, type Registry } from "@mqb/core";
import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors, systemReason } from "../errors.ts";
import { EXIT } from "../exit.ts";
import { discoverPlugins } from "../plugins/discover.ts";
import { loadRegistry } from "../plugins/load.ts";
import { RUN_DEFAULTS } from "../run/prepare.ts";
import { configurationText } from "./template.ts";

const DEFAULT_NAME = "main";
const DEFAULT_FILE = "config.yml";
const STDOUT = "-";
/** Stands for the output while only the input is known. */
const NOWHERE = "null:";
/** Wrong answers to one question; after the last there is nobody who knows. */
const MOST_TRIES = 3;

/** `mqb init`: writes a configuration with one route, from two URIs that flags or the user give. */
export async function init(args: ParsedArgs, context: CommandContext): Promise<number> {
  const { output, cwd } = context;
  const file = args.text("out") ?? DEFAULT_FILE;
  // Nobody is asked for what will not be written.
  if (file !== STDOUT && !args.has("force") && existsSync(resolve(cwd, file)))
    throw cliErrors.INIT_EXISTS({ path: file });
  const answers = await ask(args, context, file);
  const { registry, input, output: target, names } = await endsOf(answers, args, context, file);
  const text = configurationText(answers.name, input, target, file === STDOUT ? DEFAULT_FILE : file, registry);
  if (file === STDOUT) output.result(text);
  else {
    await write(resolve(cwd, file), file, text, args.has("force"));
    output.notice(`wrote ${file}; next: mqb check -c ${file}, then mqb run -c ${file}\n`);
  }
  if (names.length > 0)
    output.notice(`secrets are not written: set ${names.join(", ")} to what stood in the URI, as it stood there\n`);
  return EXIT.ok;
}

interface Answers {
  readonly from: string;
  readonly to: string;
  readonly name: string;
}

/** Variables stay references: the file names them, and its reader sets them. */
const REFERENCES: Readonly<Record<string, string | undefined>> = new Proxy(
  {},
  { get: (_, name) => (typeof name === "string" ? `\${${name}}` : undefined), has: () => true },
);

/** What no flag has given is asked for. Each answer is checked when it is given, and asked for again when it is wrong. */
async function ask(args: ParsedArgs, context: CommandContext, file: string): Promise<Answers> {
  const { ask: question, output } = context;
  const given = { from: args.text("from"), to: args.text("to"), name: args.text("name") };
  const missing = (["from", "to"] as const).filter((flag) => given[flag] === undefined);
  const name = given.name ?? DEFAULT_NAME;
  if (missing.length === 0) return { from: given.from!, to: given.to!, name };
  if (!question) {
    const flags = missing.map((flag) => `--${flag}`).join(" and ");
    const hint = "mqb init --from file:in.jsonl --to file:out.jsonl; on a terminal, mqb asks";
    throw cliErrors.USAGE({ message: `${flags} ${missing.length === 1 ? "is" : "are"} missing`, hint });
  }
  const checked = async (flag: string | undefined, text: string, check: (uri: string) => Promise<unknown>) => {
    for (let tries = 1; ; tries++) {
      const uri = flag ?? (await question(text)).trim();
      output.redactor.learn(uri);
      try {
        await check(uri);
        return uri;
      } catch (error) {
        if (flag !== undefined || tries === MOST_TRIES || !isMqbError(error)) throw error;
        output.error(error);
      }
    }
  };
  const from = await checked(
    given.from,
    "Where do messages come from (an endpoint URI, e.g. file:in.jsonl)? ",
    async (uri) => await endsOf({ from: uri, to: NOWHERE, name }, args, context, file),
  );
  const to = await checked(
    given.to,
    "Where do they go (e.g. file:out.jsonl)? ",
    async (uri) => await endsOf({ from, to: uri, name }, args, context, file),
  );
  if (given.name !== undefined) return { from, to, name };
  const called = (await question(`What is the route called [${DEFAULT_NAME}]? `)).trim();
  return { from, to, name: called === "" ? DEFAULT_NAME : called };
}

async function registryFor({ from, to }: Answers, args: ParsedArgs, cwd: string): Promise<Registry> {
  const sides = [
    namesInUri(parseUri(from, "input", REFERENCES), "input"),
    namesInUri(parseUri(to, "output", REFERENCES), "output"),
  ];
  const all = (key: "endpoints" | "middlewares" | "schemes" | "stores"): ReadonlySet<string> =>
    new Set(sides.flatMap((names) => [...names[key]]));
  const names: Names = {
    endpoints: all("endpoints"),
    middlewares: all("middlewares"),
    schemes: all("schemes"),
    stores: all("stores"),
    expressions: sides.some((one) => one.expressions),
  };
  const listed = args.texts("plugin").map((plugin) => ({ plugin, from: cwd }));
  return await loadRegistry(discoverPlugins({ listed, folder: cwd }), names);
}

interface Ends {
  readonly registry: Registry;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
  /** Variables that stand for secrets. */
  readonly names: readonly string[];
}

/** The two ends with variables in the places of secrets. Throws when `mqb check` would find a fault in the route. */
async function endsOf(
  answers: Answers,
  args: ParsedArgs,
  { cwd, environment }: CommandContext,
  file: string,
): Promise<Ends> {
  const { from, to, name } = answers;
  const registry = await registryFor(answers, args, cwd);
  const input = endpointFromUri(from, "input", registry, REFERENCES);
  const output = endpointFromUri(to, "output", registry, REFERENCES);
  const text = configurationText(name, input, output, file, registry);
  const source = { name: file, text, format: "yaml" } as const;
  const checked = checkConfiguration(loadConfiguration([source], environment), registry, RUN_DEFAULTS);
  const errors = checked.problems.filter((problem) => problem.level === "error");
  if (errors.length > 0) throw cliErrors.INIT_INVALID({ problems: errors.map((problem) => renderProblem(problem)) });
  const { config, names } = withReferences({ input, output }, checked.routes[0]!.plan!, name);
  return { registry, ...(config as Pick<Ends, "input" | "output">), names };
}

async function write(path: string, shown: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(path, text, { flag: force ? "w" : "wx" });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") throw cliErrors.INIT_EXISTS({ path: shown });
    throw cliErrors.CANNOT_WRITE({ path: shown, reason: systemReason(cause) });
  }
}
