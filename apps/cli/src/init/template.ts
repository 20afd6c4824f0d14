import type { Registry } from "@mqb/core";
import { jsonSchemaOf } from "@mqb/core/plugin";
import { yamlText } from "./yaml-text.ts";

type Endpoint = Readonly<Record<string, unknown>>;

/** The text of a configuration with one route, and with comments that say what else there is. */
export function configurationText(
  name: string,
  input: Endpoint,
  output: Endpoint,
  file: string,
  registry: Registry,
): string {
  const types = [...new Set([typeOf(input), typeOf(output)])];
  const side = (key: string, endpoint: Endpoint | null): string =>
    yamlText({ [key]: endpoint }, "    ", (path) => comment(path.slice(1), registry));
  const quoted = JSON.stringify(file);
  const shown = quoted === `"${file}"` && !/\s/.test(file) ? file : quoted;
  return `# A configuration of mqb.
#   mqb check -c ${shown}      says what is wrong with it
#   mqb explain -c ${shown}    says what it does with a message, and what it promises
#   mqb run -c ${shown}        runs its routes
#   ${types.map((type) => `mqb plugins info ${type}`).join(", ")}: every field there is
# \${NAME} stands for an environment variable; passwords are best kept there.

# log_level: info               # debug, info, warn, error, off; by module: info,kafka=debug

routes:
  ${JSON.stringify(name)}:
    # exit_on_empty: true       # end when the source is empty; without it, the route goes on
    # concurrency: 1            # batches at a time; with more, one may overtake another
    # batch_size: 512           # most messages of a batch
    # required_delivery: at_least_once   # refuse to start when less is promised
${side("input", input)}${side("output", isNothing(output) ? null : output)}${isNothing(output) || output["middlewares"] !== undefined ? "" : suggestion()}`;
}

/** An output that takes nothing is written without its key. */
function isNothing(endpoint: Endpoint): boolean {
  return Object.keys(endpoint).join() === "null";
}

function suggestion(): string {
  return `      # middlewares:            # read from the last entry: a failed message reaches retry first, then dlq
      #   - retry: { max_attempts: 5 }
      #   - dlq: { endpoint: { file: { path: rejected.jsonl } } }
`;
}

/** The first sentence of what a field, or an endpoint, is about. */
function comment(path: readonly (string | number)[], registry: Registry): string | undefined {
  const [type, field] = path;
  if (type === "middlewares") return path.length === 1 ? "Read from the last entry." : undefined;
  const definition = registry.endpoint(String(type))?.definition;
  if (!definition) return undefined;
  if (path.length === 1) return firstSentence(definition.description);
  if (path.length > 2) return undefined;
  return firstSentence(jsonSchemaOf(definition.schema)?.properties?.[String(field)]?.description ?? "");
}

function firstSentence(text: string): string | undefined {
  const first = /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
  return first === "" ? undefined : first.replace(/\s+/g, " ");
}

function typeOf(endpoint: Endpoint): string {
  return Object.keys(endpoint).find((key) => key !== "middlewares") ?? "null";
}
