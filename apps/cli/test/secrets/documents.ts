import type { Registry } from "@mqb/core";
import { documentsOf, readExamples } from "../../../../packages/config/test/examples/example.ts";
import { withSecrets } from "../../../../packages/config/test/marked.ts";
import { filledRoutes } from "./filled.ts";

/** Stands in every secret, more than once: what hides only a part of a secret leaves one of them. */
export const MARKER = "Mrk7";

/** Secrets as people get them from a store: with every character that means something in a URL, in YAML, or in JSON. */
export const SECRETS = [
  MARKER.repeat(3),
  `${MARKER}/w?${MARKER}#1${MARKER}`,
  `${MARKER}@${MARKER}:${MARKER}%${MARKER}`,
  `${MARKER}"${MARKER}\\${MARKER}`,
  `${MARKER} ${MARKER}'${MARKER}|${MARKER}`,
  `${MARKER}\n${MARKER}\t${MARKER}`,
  `${MARKER}&${MARKER}=${MARKER},${MARKER};${MARKER}`,
  `${MARKER}ü${MARKER}𝄞${MARKER}`,
];

/** A document of the examples, with secrets in every place that holds one. */
export interface SecretDocument {
  readonly name: string;
  /** As JSON. */
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
  readonly count: number;
}

const PUBLISHERS = {
  common_queue: { memory: { topic: "shared", capacity: 100 } },
  enrich_new_order: { memory: { topic: "orders" } },
  handle_duplicate: { memory: { topic: "duplicates" } },
};

/**
 * Every example that has a place for a secret, and a route for every endpoint and middleware that has one: by turns with
 * the secrets written out and with variables in their places. Paths are below the working directory.
 */
export function secretDocuments(registry: Registry): SecretDocument[] {
  const examples = readExamples().flatMap((example) =>
    documentsOf(example).map((document, index) => [`${example.file}${index > 0 ? " again" : ""}`, document] as const),
  );
  const routes = Object.entries(filledRoutes(registry)).map(
    ([name, route]) => [name, JSON.stringify({ routes: { [name]: route } })] as const,
  );
  return [...examples, ...routes].flatMap(([name, document], index) => {
    const how = index % 2 === 0 ? "written out" : "from variables";
    const one = { ...secretDocument(document, registry, how, index), name: `${name}, ${how}` };
    return one.count > 0 ? [one] : [];
  });
}

/** Documents with secrets in what no route that can start has: `what` is put into each of them. */
export function asideDocuments(): SecretDocument[] {
  const sink = (key: string) => ({ file: { path: "o", format: "normal", encryption: { key } } });
  const running = { input: { memory: { topic: "t" } }, output: null };
  const documents: Readonly<Record<string, (secret: string) => object>> = {
    "a route that is not enabled": (secret) => ({
      routes: { a: { ...running, enabled: false, output: sink(secret) } },
    }),
    "a publisher": (secret) => ({ publishers: { p: sink(secret) }, routes: { a: running } }),
    "an endpoint that is not installed": (secret) => ({
      routes: { a: { ...running, output: { nosuch: { key: secret, keys: { old: secret }, pasword: secret } } } },
    }),
    "a middleware that is not installed": (secret) => ({
      routes: { a: { ...running, output: { memory: { topic: "u" }, middlewares: [{ nosuch: { key: secret } }] } } },
    }),
  };
  return Object.entries(documents).flatMap(([name, make]) =>
    SECRETS.slice(0, 6).map((secret) => ({
      name: `${name}: ${JSON.stringify(secret)}`,
      text: JSON.stringify(make(secret)),
      env: {},
      count: 1,
    })),
  );
}

function secretDocument(
  document: string,
  registry: Registry,
  how: "written out" | "from variables",
  offset: number,
): Omit<SecretDocument, "name"> {
  const env: Record<string, string> = {};
  const { routes, count } = withSecrets(document, registry, (number, inUrl) => {
    const secret = `${SECRETS[(number + offset) % SECRETS.length]!}${number}`;
    const text = inUrl && (number % 2 === 0 || /[\s"]/.test(secret)) ? encodeURIComponent(secret) : secret;
    if (how === "written out") return text;
    env[`SECRET_${number}`] = text;
    return `\${SECRET_${number}}`;
  });
  const text = JSON.stringify({ publishers: PUBLISHERS, routes }, null, 1)
    .replace(/"\/(?!\/)/g, '"')
    .replace(/"file:\/\/\/?/g, '"file:');
  return { text, env, count };
}

/** The lines of what was said that hold a part of a secret. */
export function leaks(...said: readonly string[]): string[] {
  const text = said.flatMap((one) => one.split("\n"));
  return text.filter((line) => /mrk7/i.test(line));
}
