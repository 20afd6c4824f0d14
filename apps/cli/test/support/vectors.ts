import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import zstd from "@foxglove/wasm-zstd";

await zstd.isLoaded;

const FOLDER = fileURLToPath(new URL("../vectors", import.meta.url));

/** One recorded case: a command line with its input files, and the exact bytes that it has to write. */
export interface Vector {
  readonly name: string;
  readonly folder: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | null;
  readonly signal: string | null;
  readonly inputs: readonly string[];
  readonly outputs: Readonly<
    Record<string, { readonly compare: string; readonly expected?: string; readonly normalised?: string }>
  >;
  readonly stdout: "empty" | "log" | "exact" | "normalised";
  readonly exit_code: number;
  /** The command went on until it was killed. */
  readonly timed_out: boolean;
}

/** Vectors that are not run, or not as recorded, by number, with the reason. */
export type Exceptions = Readonly<Record<string, string>>;

export function readVectors(): Vector[] {
  return readdirSync(FOLDER)
    .filter((name) => statSync(join(FOLDER, name)).isDirectory())
    .sort()
    .map((name) => {
      const folder = join(FOLDER, name);
      return { ...JSON.parse(readFileSync(join(folder, "vector.json"), "utf8")), name, folder } as Vector;
    });
}

export function readExceptions(): { readonly skipped: Exceptions; readonly different: Exceptions } {
  return JSON.parse(readFileSync(join(FOLDER, "exceptions.json"), "utf8"));
}

/** Puts the configuration and the inputs into the folder that the command runs in. */
export function prepareVector(vector: Vector, scratch: string): void {
  for (const name of ["config.yaml", ...vector.inputs]) {
    const from = join(vector.folder, name);
    if (!existsSync(from)) continue;
    if (statSync(from).isDirectory()) cpSync(from, join(scratch, name), { recursive: true });
    else copyFileSync(from, join(scratch, name));
  }
}

/** What is wrong with the files that the command left behind; empty when they are as recorded. */
export function compareOutputs(vector: Vector, scratch: string): string[] {
  const wrong: string[] = [];
  for (const [file, { compare, expected, normalised }] of Object.entries(vector.outputs)) {
    const path = join(scratch, file);
    if (compare === "absent") {
      if (existsSync(path)) wrong.push(`${file} exists`);
      continue;
    }
    if (!existsSync(path)) {
      // A sink that got nothing may leave no file at all.
      if (readFileSync(join(vector.folder, expected!)).length > 0) wrong.push(`${file} is missing`);
      continue;
    }
    const read = reader(compare);
    const want = read(readFileSync(join(vector.folder, normalised ?? expected!)));
    const got = read(readFileSync(path));
    if (got !== want) wrong.push(`${file} differs (${compare})\n--- expected\n${want}\n--- written\n${got}`);
  }
  return wrong;
}

export function compareStdout(vector: Vector, stdout: string): string[] {
  if (vector.stdout === "exact" || vector.stdout === "normalised") {
    const want = readFileSync(join(vector.folder, "expected.stdout"), "utf8");
    const got = vector.stdout === "exact" ? stdout : maskSummary(stdout);
    return got === want ? [] : [`stdout differs\n--- expected\n${want}\n--- written\n${got}`];
  }
  // The original logs to stdout in places; ours keeps it for results.
  return stdout === "" ? [] : [`stdout is not empty: ${stdout}`];
}

function maskSummary(text: string): string {
  return text.replace(/in [\d.]+m?s \([\d_]+ rows\/s\)/g, "in <DUR> (<RATE> rows/s)");
}

function reader(compare: string): (bytes: Buffer) => string {
  const [mode, masked] = compare.split("+");
  const mask = masked === "normalised" ? maskIds : (text: string) => text;
  switch (mode) {
    case "exact":
      return (bytes) => bytes.toString("latin1");
    case "decompress":
      return (bytes) => gunzipSync(bytes).toString("latin1");
    case "decompress-payload":
      return (bytes) => bytes.toString("utf8").split("\n").map(decompressPayload).join("\n");
    case "normalised":
      return (bytes) => maskIds(bytes.toString("utf8"));
    case "jsonl-metadata-unordered":
      return (bytes) => mask(bytes.toString("utf8")).split("\n").map(sortMetadata).join("\n");
    default:
      throw new Error(`no comparison "${compare}"`);
  }
}

/** An envelope with the content of its payload; its codec may have found other bytes for it. */
function decompressPayload(line: string): string {
  if (line === "") return line;
  const { payload_base64: base64, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const payload = Buffer.from(base64 === undefined ? "" : String(base64), "base64");
  const codec = sniff(payload);
  if (!codec) return line;
  // A short zstd frame says its size in the byte behind magic and descriptor.
  const content = codec === "gzip" ? gunzipSync(payload) : zstd.decompress(payload, payload[5]!);
  return JSON.stringify({ ...rest, codec, content: content.toString("base64") });
}

function sniff(payload: Buffer): "gzip" | "zstd" | undefined {
  if (payload[0] === 0x1f && payload[1] === 0x8b) return "gzip";
  return payload.length > 5 && payload.readUInt32LE(0) === 0xfd2fb528 ? "zstd" : undefined;
}

function maskIds(text: string): string {
  return (
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, "<UUID7>")
      .replace(/"mq_bridge\.dlq\.timestamp_ms":"\d+"/g, '"mq_bridge.dlq.timestamp_ms":"<MS>"')
      // The original makes a new name for each copy; ours has one.
      .replace('"mq_bridge.dlq.route":"copy-<UUID4>"', '"mq_bridge.dlq.route":"copy"')
  );
}

/** The order of members inside `metadata` is random in the original; everything else counts, byte for byte. */
function sortMetadata(line: string): string {
  return line.replace(/"metadata":\{((?:"(?:[^"\\]|\\.)*":"(?:[^"\\]|\\.)*",?)*)\}/, (_, members: string) => {
    const sorted = (members.match(/"(?:[^"\\]|\\.)*":"(?:[^"\\]|\\.)*"/g) ?? []).sort();
    return `"metadata":{${sorted.join(",")}}`;
  });
}
