import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { createBridge, createRegistry } from "@mqb/core";
import expression from "@mqb/expression";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import transform from "@mqb/transform";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import plugin from "../../src/index.ts";
import { freshLab } from "./slots.ts";

/**
 * Recorded runs of the original. Where ours is meant to be different, `ours.<file>` holds what it gives, and the reason
 * stands here and in docs/compatibility.md.
 */
const DIFFERENT: Readonly<Record<string, string>> = {
  "646-cdc-toast-unchanged": "columns left out are named; with REPLICA IDENTITY FULL none is, also not in the key",
  "647-cdc-every-type": "JSON keeps its digits, bytes are hex as everywhere, nested arrays are arrays",
  "653-cdc-snapshot": "rows of a snapshot say of which table they are, and have ids that repeat",
  "782-pg-cdc-to-pg-columns": "bytes and JSON texts survive the way from table to table",
  "790-cdc-capture-all-then-changes": "rows are spelled as their changes are, and say of which table they are",
  "795-cdc-server-time-zone": "times do not depend on the database's settings",
};

interface Vector {
  readonly routes: readonly { readonly routes: readonly string[] }[];
  readonly before?: readonly { readonly file: string }[];
  readonly between?: readonly { readonly file: string }[];
  readonly after?: readonly { readonly file: string; readonly stdout?: string }[];
  readonly outputs: Readonly<Record<string, { readonly expected: string }>>;
  readonly exit_codes: readonly (number | string)[];
}

interface Envelope {
  readonly message_id: string;
  readonly payload: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

const folder = new URL("./vectors/", import.meta.url);
const registry = createRegistry([standard, file, expression, transform, plugin]);
const LSN = /\b[0-9A-F]{1,8}\/[0-9A-F]{1,8}\b/g;

async function psql(url: string, path: string): Promise<string> {
  const { stdout } = await promisify(execFile)("psql", ["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-f", path, url]);
  return stdout;
}

function comparable(text: string, name: string, slot: string): unknown {
  const clean = text
    .replaceAll(slot, "mqbs")
    .replace(/(\\?"updated_at_ms\\?":)\d+/g, "$1<MS>")
    .replace(/"postgres_cdc:[^"]*:backfill": .*\n/g, "")
    .replace(/,\n *"postgres_cdc:[^"]*:server": .*/g, "")
    .replace(/(postgres_lsn\\":\\")\d+/g, "$1<LSN>")
    .replace(/(part-postgres_cdc-mqbs-)\d{20}/g, "$1<LSN>")
    .replace(/(part-file-in\.jsonl-)[0-9a-f]{16}/g, "$1<HASH>");
  if (!name.endsWith(".jsonl")) return clean.replace(LSN, "<LSN>").replace(/mqb_test_\w+/g, "vec");
  return clean
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { message_id: _, payload, metadata } = JSON.parse(line) as Envelope;
      return {
        payload,
        ...(metadata && { metadata: { ...metadata, ...(metadata["postgres.lsn"] && { "postgres.lsn": "<LSN>" }) } }),
      };
    });
}

/** The objects of a bucket as the recorded runs list them, of parts in a folder. */
async function listed(dir: TempDir): Promise<string> {
  const lines: string[] = [];
  for (const folder of ["f", "p"]) {
    for (const name of (await readdir(dir.file(folder))).filter((one) => one.startsWith("part-")).sort())
      lines.push(
        `# ${folder}/${name} content-type=binary/octet-stream metadata={}\n${await dir.read(`${folder}/${name}`)}`,
      );
  }
  return lines.join("");
}

/** The ids that the original gives, worked out in another way than by the source. */
function expectIds(text: string, kind: string): void {
  let [ordinal, last] = [0, ""];
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const { message_id: id, metadata = {} } = JSON.parse(line) as Envelope;
    const lsn = metadata["postgres.lsn"];
    if (lsn === undefined || metadata["postgres.snapshot"] === "true") continue;
    if (lsn !== last) [ordinal, last] = [0, lsn];
    const [high, low] = lsn.split("/");
    const numbers = Buffer.alloc(17);
    numbers.writeBigUInt64BE((BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`), 0);
    numbers.writeBigUInt64BE(BigInt(ordinal++), 9);
    const name = `${metadata["postgres.schema"]}.${metadata["postgres.table"]}`;
    const texts = [name, metadata["postgres.key"] ?? "", metadata["postgres.operation"], ""].join("\0");
    const bytes = Buffer.concat([Buffer.from(texts), numbers]);
    if (metadata["postgres.key"] === undefined && metadata["postgres.operation"] !== "truncate")
      expect(id).toMatch(/^.{14}7/);
    else expect(id.replaceAll("-", "")).toBe(kind === "sha256" ? sha(bytes) : fnv(bytes));
  }
}

function sha(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 32);
}

function fnv(bytes: Buffer): string {
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x1000000000000000000013bn) & ((1n << 128n) - 1n);
  return hash.toString(16).padStart(32, "0");
}

async function run(name: string): Promise<void> {
  await using dir = await TempDir.make();
  const lab = await freshLab();
  try {
    await cp(new URL(`${name}/`, folder), dir.path, { recursive: true });
    const vector = JSON.parse(await dir.read("vector.json")) as Vector;
    const own = (text: string): string => text.replaceAll("mqbs", lab.slot);
    const config = own(await dir.read("config.yaml"))
      .replaceAll("@PG@", lab.url)
      .replaceAll("@W@", dir.path)
      .replace(/object_store: \{ url: "s3:\/\/vec\/(\w)"/g, (_, folder) => `file: { path: "${dir.file(folder)}"`);
    const routes = parse(config) as Readonly<Record<string, unknown>>;
    const steps = [...(vector.before ?? []), ...(vector.between ?? []), ...(vector.after ?? [])];
    for (const step of steps) {
      const database = new URL(lab.url).pathname.slice(1);
      const text = own(await dir.read(step.file)).replace(/\b(database|c) vec\b/g, `$1 ${database}`);
      // Those of other tests are on the same server.
      await writeFile(
        dir.file(step.file),
        text.replace(/from pg_replication_slots/g, "from pg_replication_slots where database = current_database()"),
      );
    }
    for (const step of vector.before ?? []) await psql(lab.url, dir.file(step.file));
    for (const [n, { routes: names }] of vector.routes.entries()) {
      if (n === 1) for (const step of vector.between ?? []) await psql(lab.url, dir.file(step.file));
      const bridge = createBridge({ registry, baseDir: dir.path });
      for (const route of names) {
        const running = bridge.route(route, routes[route]);
        const outcome = await running.start().then(
          async () => (await running.done).outcome,
          () => "failed",
        );
        expect(outcome).toBe(vector.exit_codes[n] === 0 ? "completed" : "failed");
      }
      await bridge.stop();
    }
    for (const step of vector.after ?? []) {
      const dump = await psql(lab.url, dir.file(step.file));
      if (step.stdout !== undefined) await writeFile(dir.file(step.stdout), dump);
    }
    if ("dump.s3.txt" in vector.outputs) await writeFile(dir.file("dump.s3.txt"), await listed(dir));
    for (const [output, { expected }] of Object.entries(vector.outputs)) {
      const got = existsSync(dir.file(output)) ? await readFile(dir.file(output), "utf8") : "";
      const ours = new URL(`${name}/ours.${output}`, folder);
      if (process.env["MQB_RECORD"])
        await writeFile(new URL(`${name}/got.${output}`, folder), got.replaceAll(lab.slot, "mqbs"));
      const wanted = existsSync(ours) ? readFileSync(ours, "utf8") : await dir.read(expected);
      expect(comparable(got, output, lab.slot), output).toEqual(comparable(wanted, output, "mqbs"));
      if (output.endsWith(".jsonl")) expectIds(got, name.includes("sha256") ? "sha256" : "fnv1a");
    }
  } finally {
    await lab.drop();
  }
}

describe("recorded runs of the original", () => {
  const names = readdirSync(folder).sort();
  it.each(names)("%s", run);

  it("have the ids that are worked out for them", () => {
    for (const name of names) {
      const recorded = new URL(`${name}/expected.out.jsonl`, folder);
      if (existsSync(recorded)) expectIds(readFileSync(recorded, "utf8"), name.includes("sha256") ? "sha256" : "fnv1a");
    }
  });

  it("have a reason wherever ours are different", () => {
    const different = names.filter((name) =>
      readdirSync(new URL(`${name}/`, folder)).some((one) => one.startsWith("ours.")),
    );
    expect(different).toEqual(Object.keys(DIFFERENT));
  });
});
