import { errors } from "../errors.ts";

/** Where the value of a token comes from. */
export type TokenSource =
  | { readonly from: "payload"; readonly path: readonly string[] }
  | { readonly from: "metadata"; readonly key: string }
  | { readonly from: "id" | "body" | "uuid" | "now" | "timestamp" | "counter" }
  | { readonly from: "random"; readonly min: number; readonly max: number };

export interface Token {
  readonly source: TokenSource;
  readonly filter: "raw" | "base64" | undefined;
}

/** A piece of a template: text as it is, or a token. */
export type Segment = string | Token;

type Env = Readonly<Record<string, string | undefined>>;

const NAMESPACES = ["payload", "metadata", "message", "gen", "env"];
const GENERATORS = ["uuid", "now", "timestamp", "counter"] as const;

/** Takes a template apart. Environment variables are read now. Throws a `config` error that names the token. */
export function parseTemplate(text: string, env: Env): Segment[] {
  const segments: Segment[] = [];
  let literal = "";
  for (let at = 0; at < text.length; ) {
    if (text.startsWith("$${", at)) {
      literal += "${";
      at += 3;
      continue;
    }
    if (!text.startsWith("${", at)) {
      literal += text[at++];
      continue;
    }
    const close = text.indexOf("}", at);
    if (close < 0) {
      const rest = text.slice(at);
      if (namespaceOf(rest.slice(2))) throw errors.TEMPLATE({ token: rest, reason: "the closing } is missing" });
      literal += rest;
      break;
    }
    const written = text.slice(at, close + 1);
    const token = parseToken(written, env);
    if (typeof token === "string") literal += token;
    else {
      if (literal !== "") segments.push(literal);
      literal = "";
      segments.push(token);
    }
    at = close + 1;
  }
  if (literal !== "") segments.push(literal);
  return segments;
}

/** A token, or the text that stands for it: an environment variable, or itself when its namespace is unknown. */
function parseToken(written: string, env: Env): Token | string {
  const inner = written.slice(2, -1);
  const namespace = namespaceOf(inner);
  if (!namespace) return written;
  const bar = inner.indexOf("|");
  const spec = bar < 0 ? inner : inner.slice(0, bar);
  const filter = bar < 0 ? undefined : inner.slice(bar + 1).trim();
  const selector = spec.slice(spec.indexOf(":") + 1).trim();
  const refuse = (reason: string) => errors.TEMPLATE({ token: written, reason });
  if (filter !== undefined && filter !== "raw" && filter !== "base64") {
    throw refuse(`unknown filter "${filter}"; there are: raw, base64`);
  }
  switch (namespace) {
    case "payload":
      return { source: { from: "payload", path: selector.split(".").filter((step) => step !== "") }, filter };
    case "metadata":
      return { source: { from: "metadata", key: selector }, filter };
    case "message":
      if (selector === "id") return { source: { from: "id" }, filter };
      if (selector === "payload") return { source: { from: "body" }, filter };
      throw refuse(`there is no "${selector}"; message has id, payload`);
    case "env": {
      const value = env[selector];
      if (value === undefined) throw refuse(`the environment variable ${selector} is not set`);
      return filter === "base64" ? Buffer.from(value).toString("base64") : value;
    }
    default:
      return { source: parseGenerator(selector, refuse), filter };
  }
}

function parseGenerator(selector: string, refuse: (reason: string) => Error): TokenSource {
  const simple = GENERATORS.find((name) => name === selector);
  if (simple) return { from: simple };
  const random = /^random\s*\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)$/.exec(selector);
  if (!random) {
    throw refuse(`there is no "${selector}"; gen has ${GENERATORS.join(", ")}, random(min,max)`);
  }
  const [min, max] = [Number(random[1]), Number(random[2])];
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || !Number.isSafeInteger(max - min)) {
    throw refuse("the bounds of random are too far from 0");
  }
  if (max < min) throw refuse(`the upper bound ${max} is below the lower bound ${min}`);
  return { from: "random", min, max };
}

function namespaceOf(inner: string): string | undefined {
  const name = /^\s*([a-z]+)\s*:/.exec(inner)?.[1];
  return name !== undefined && NAMESPACES.includes(name) ? name : undefined;
}
