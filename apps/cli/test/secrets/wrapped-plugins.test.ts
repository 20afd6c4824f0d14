import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../support/cli.ts";
import { leaks, SECRETS } from "./documents.ts";
import { told } from "./told.ts";
import { type FailingPlace, PLACES } from "./wrapped-plugins.ts";

const WRAPPED = fileURLToPath(new URL("wrapped-plugins.ts", import.meta.url));
const scratch = scratchFolder();
afterAll(() => scratch.remove());
afterEach(() => vi.unstubAllEnvs());

const LONG = { timeout: 60_000 };

type Side = "input" | "output";

/** Every secret that these endpoints have: passwords, tokens, keys, logins in URLs and in SASL. */
const CONFIGS: Readonly<Record<string, (secret: string, side: Side) => object>> = {
  kafka: (secret, side) => ({
    url: "k1:9092,k2:9092",
    topic: "t",
    username: "user",
    password: secret,
    tls: { required: true, ca_file: "ca.pem", cert_file: "c.pem", key_file: "k.pem", cert_password: secret },
    ...(side === "input" ? { group_id: "g" } : {}),
    [side === "input" ? "consumer_options" : "producer_options"]: [["sasl.mechanism", "SCRAM-SHA-512"]],
  }),
  nats: (secret, side) => ({
    url: `nats://user:${encodeURIComponent(secret)}@n1:4222`,
    subject: "s",
    username: "user",
    password: secret,
    token: secret,
    tls: { required: true, cert_file: "c.pem", key_file: "k.pem", cert_password: secret },
    ...(side === "input" ? { stream: "st" } : {}),
  }),
  http: (secret, side) => ({
    url: side === "input" ? "127.0.0.1:0" : `http://user:${encodeURIComponent(secret)}@127.0.0.1:9/x`,
    path: "/x",
    basic_auth: ["user", secret],
    webhook_signature: { scheme: "github", secret: [secret, `${secret}2`] },
    custom_headers: { "x-api-key": printable(secret), "x-auth-token": `Bearer ${printable(secret)}` },
    ...(side === "input"
      ? { tls: { required: true, cert_file: "c.pem", key_file: "k.pem", cert_password: secret } }
      : {}),
  }),
};

/** Three of them, others in each turn. */
function some(turn: number): readonly string[] {
  return [0, 1, 2].map((n) => SECRETS[(3 * turn + n) % SECRETS.length]!);
}

/** As a header can have it. */
function printable(secret: string): string {
  return secret.replace(/[^\x20-\x7e]/g, "");
}

const ENDS = Object.keys(CONFIGS).flatMap((name) =>
  (["input", "output"] as const).map((side) => [name, side] as const),
);
const FAILS_ON: Readonly<Record<Side, readonly FailingPlace[]>> = {
  input: ["open", "receive", "commit", "status", "close"],
  output: ["open", "send", "flush", "status", "close"],
};
const COMMANDS = [
  ["check"],
  ["check", "--json"],
  ["explain"],
  ["explain", "--json"],
  ["config", "show", "--origin"],
  ["config", "show", "--json"],
  ["to-cli"],
  ["doctor", "--timeout", "1"],
  ["doctor", "--timeout", "1", "--json"],
] as const;

/** Writes a document with a secret in each place, and returns what a command says to it. */
function folderWith(name: string, side: Side, secret: string): string {
  const cwd = join(scratch.path, `${name}-${side}-${SECRETS.indexOf(secret)}`);
  mkdirSync(cwd, { recursive: true });
  const end = { [`wrapped_${name}`]: CONFIGS[name]!(secret, side) };
  const route = side === "input" ? { input: end, output: null } : { input: { static: { body: "x" } }, output: end };
  writeFileSync(join(cwd, "config.json"), JSON.stringify({ routes: { r: { reconnect_interval_ms: 1, ...route } } }));
  return cwd;
}

async function said(argv: readonly string[], cwd: string): Promise<string> {
  const env = { RUST_LOG: "trace", MQB_STATUS_SHOW_ERRORS: "1", MQ_BRIDGE_DRAIN_IDLE_TIMEOUT_MS: "1" };
  const { stdout, stderr } = await told([...argv, "-c", "config.json", "--plugin", WRAPPED], { cwd, env });
  return stdout + stderr;
}

describe.each(ENDS)("an end of %s as %s that quotes its secrets", (name, side) => {
  it.each(FAILS_ON[side].map((place, turn) => [place, turn] as const))(
    "when it fails: %s",
    LONG,
    async (place, turn) => {
      vi.stubEnv("WRAPPED_FAILS", place);
      for (const secret of some(turn)) {
        const text = await said(["run", "--drain", "--no-metrics"], folderWith(name, side, secret));
        // It has come to that point: what the failure is about is told.
        if (place !== "status") expect(text).toContain(`a failing ${place}`);
        expect(leaks(text), JSON.stringify(secret)).toEqual([]);
      }
    },
  );

  it.each(COMMANDS.map((command, turn) => [command.join(" "), command, turn] as const))(
    "in `%s`",
    LONG,
    async (_, command, turn) => {
      vi.stubEnv("WRAPPED_FAILS", "probe");
      for (const secret of some(turn)) {
        const text = await said(command, folderWith(name, side, secret));
        expect(text).not.toContain("MQB_CORE_NOT_A_PLUGIN");
        if (command[0] === "doctor") expect(text).toContain("a failing probe");
        expect(leaks(text), JSON.stringify(secret)).toEqual([]);
      }
    },
  );
});

it("names every place of failure", () => {
  expect(new Set([...FAILS_ON.input, ...FAILS_ON.output, "probe"])).toEqual(new Set(PLACES));
});
