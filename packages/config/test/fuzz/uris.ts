import { performance } from "node:perf_hooks";
import type { Registry } from "@mqb/core";
import { describeError, isMqbError, type Side } from "@mqb/core/plugin";
import { pick, type Random, randomFrom } from "@mqb/testkit";
import { checkWithDefaults, endpointFromUri, namesInUri, parseUri, redactUri } from "../../src/uri.ts";

export interface UriFuzzResult {
  /** With an error. */
  readonly refused: number;
  /** In milliseconds; of URIs of at most 10 KB. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  readonly failures: readonly { readonly seed: number; readonly reason: string; readonly uri: string }[];
}

export interface UriFuzzOptions {
  readonly registry: Registry;
  readonly count: number;
  readonly seed: number;
}

const URIS = [
  "file:///data/orders.jsonl?format=raw",
  "file:in.csv?format=csv&csv.separator=auto&csv.header=false",
  'file:in.csv?csv={"separator":";","columns":["a","b"]}&delete=true&max_message_bytes=100',
  "in.csv?format=csv|filter?amount > 100 and kind == 'x'|metrics",
  "-?format=csv",
  "-|filter?a",
  "memory://orders?capacity=10&subscribe_mode=true",
  "static:?body=hi $%7Bgen:counter%7D&raw=true&content-type=text/plain",
  "null:|retry?max_attempts=5&jitter=0.5|dlq?endpoint=file:dead.jsonl%3Fformat=raw%7Cretry",
  "fanout:?to=file:a.jsonl&to=file:b.txt%3Fformat=raw&mirror=memory://c",
  "switch:?metadata_key=kind&case.a=file:a&case.b=null:&default=null:",
  "switch:?when=a > 1&to=file:a&when=b&to=request:?to=file:b&default=null:",
  'db://user:pa%2Fss@host:5432/db?table=t&sslmode=require&tls={"required":true}',
  "db://h/d?url=db%3A%2F%2Fx%2Fy%3Fz%3D1&table=t",
  "legs:?to=file:a.jsonl&to=legs:%3Fto=null:",
  "kafka://u:p@h1:9092,h2:9092/topic?group_id=g",
  "${SET}/x?format=${UNSET:-raw}",
  "file:$SET|custom?name=retry&max_attempts=2",
];

const PIECES = [
  "%",
  "%2",
  "%25",
  "%7C",
  "%00",
  "%FF",
  "%C3%28",
  "|",
  "||",
  "&",
  "&&",
  "?",
  "??",
  "=",
  "#",
  "+",
  ":",
  "://",
  "@",
  "/",
  "//",
  "..",
  "${",
  "}",
  "$",
  "$$",
  "${SET}",
  "${UNSET}",
  "${__proto__}",
  "$constructor",
  "${SET:-${SET}}",
  "__proto__",
  "constructor",
  "prototype",
  "__proto__=1",
  '&__proto__={"polluted":1}',
  "csv.__proto__=1",
  "csv.constructor.prototype.polluted=1",
  '{"__proto__":{"polluted":1}}',
  "{",
  "}",
  "[",
  "]",
  '"',
  "'",
  "\\",
  "\u0000",
  "\n",
  "\t",
  "\uD800",
  "\uDC00",
  "\u202E",
  "é",
  "😀",
  "|filter?",
  "|dlq?endpoint=",
  "|custom?name=",
  "&to=",
  "&when=",
  "&mirror=",
  "case.a.b=",
  "middlewares=[]",
  'endpoint={"file":{}}',
  "NaN",
  "1e999",
  "-0",
  "99999999999999999999",
  "null",
  "true",
  "toString",
  "hasOwnProperty",
  "valueOf",
];

const DEFAULTS = { concurrency: 4, batch_size: 1024 };
const ENVIRONMENT = { SET: "file:dir" };
const SMALL = 10 * 1024;
const STACK = /\n\s+at .*[:(]\d+:\d+|node_modules/;

/** Reads, checks and shows mutated URIs; each has a seed of its own, so that it can be made again. */
export function fuzzUris({ registry, count, seed }: UriFuzzOptions): UriFuzzResult {
  const times: number[] = [];
  const failures: { seed: number; reason: string; uri: string }[] = [];
  let refused = 0;
  for (let index = 0; index < count; index++) {
    const random = randomFrom(seed + index);
    const uri = mutated(random);
    const side: Side = random() < 0.5 ? "input" : "output";
    const start = performance.now();
    const outcome = readOne(uri, side, registry);
    if (uri.length <= SMALL) times.push(performance.now() - start);
    if (outcome.refused) refused += 1;
    const reason = outcome.reason ?? polluted();
    if (reason !== undefined) failures.push({ seed: seed + index, reason, uri });
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { refused, p50: at(0.5), p99: at(0.99), slowest: times.at(-1) ?? 0, failures };
}

/** What `mqb copy` does with a URI before it opens anything. */
function readOne(uri: string, side: Side, registry: Registry): { readonly refused: boolean; readonly reason?: string } {
  try {
    redactUri(uri);
    namesInUri(parseUri(uri, side, ENVIRONMENT), side);
    const endpoint = endpointFromUri(uri, side, registry, ENVIRONMENT);
    const other = side === "input" ? { output: null } : { input: { static: "x" } };
    const { checked } = checkWithDefaults(registry, "copy", { ...other, [side]: endpoint }, DEFAULTS);
    const texts = checked.problems.map(({ message, hint }) => `${message} ${hint ?? ""}`);
    return { refused: checked.plan === undefined, ...stackIn(texts) };
  } catch (error) {
    if (!isMqbError(error)) {
      return { refused: true, reason: `threw ${error instanceof Error ? error.stack : String(error)}` };
    }
    return { refused: true, ...stackIn([describeError(error), error.hint ?? ""]) };
  }
}

function stackIn(texts: readonly string[]): { readonly reason?: string } {
  const shown = texts.find((text) => STACK.test(text));
  return shown === undefined ? {} : { reason: `shows a stack: ${shown}` };
}

function polluted(): string | undefined {
  const names = Object.getOwnPropertyNames(Object.prototype).filter((name) => !KNOWN.has(name));
  return names.length === 0 ? undefined : `Object.prototype has got ${names.join(", ")}`;
}

const KNOWN = new Set(Object.getOwnPropertyNames(Object.prototype));

function mutated(random: Random): string {
  let uri = pick(random, URIS);
  for (let left = 1 + Math.floor(random() * 4); left > 0; left--) uri = mutate(uri, random);
  return uri;
}

function mutate(uri: string, random: Random): string {
  const at = Math.floor(random() * (uri.length + 1));
  const to = Math.min(uri.length, at + Math.floor(random() * 12));
  switch (Math.floor(random() * 9)) {
    case 0:
      return uri.slice(0, at) + uri.slice(to);
    case 1:
      return uri.slice(0, at) + uri.slice(at, to).repeat(2) + uri.slice(to);
    case 2:
      return uri.slice(0, at) + pick(random, URIS).slice(Math.floor(random() * 20));
    case 3:
      return `${pick(random, ["fanout:?to=", "null:|dlq?endpoint=", "legs:?to=", "request:?to="])}${random() < 0.5 ? encoded(uri) : uri}`;
    case 4: {
      const piece = pick(random, PIECES);
      const times = random() < 0.05 ? Math.floor((8 * 1024) / piece.length) : 1 + Math.floor(random() * 30);
      return uri.slice(0, at) + piece.repeat(times) + uri.slice(at);
    }
    case 5:
      return (
        uri.slice(0, at) + String.fromCharCode(Math.floor(random() * (random() < 0.8 ? 128 : 65_536))) + uri.slice(to)
      );
    default:
      return uri.slice(0, at) + pick(random, PIECES) + uri.slice(random() < 0.5 ? at : to);
  }
}

function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "x"));
}
