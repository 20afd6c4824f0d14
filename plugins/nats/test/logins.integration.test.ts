import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { batchOf, Message } from "@mqb/core/plugin";
import { nkeys } from "nats";
import { describe, expect, it } from "vitest";
import type { NatsOptions } from "../src/schema.ts";
import { Ends } from "./ends.ts";
import { hasBinary, PrivateServer } from "./private-server.ts";
import { freshName, serverUrl, withServer } from "./servers.ts";

const URL_AUTH = serverUrl("nats-auth", "nats://127.0.0.1:24242");
const URL_TOKEN = serverUrl("nats-token", "nats://127.0.0.1:24243");
const USER = process.env["MQB_TEST_NATS_USER"] ?? "mqb";
const PASSWORD = process.env["MQB_TEST_NATS_PASSWORD"] ?? "test-password";
const TOKEN = process.env["MQB_TEST_NATS_TOKEN"] ?? "test-token";
const SEED = process.env["MQB_TEST_NATS_NKEY_SEED"] ?? "SUAFH6IX5VOFGZDKEHB3XFIUXU4N3PXGUWSRITNT6RNICPUTZW73LG4N4Q";

async function logsIn(config: Omit<NatsOptions, "subject">): Promise<void> {
  await using ends = new Ends();
  const publisher = await ends.output({ subject: freshName(), no_jetstream: true, ...config });
  expect(publisher.status?.().healthy).toBe(true);
}

await withServer("nats-auth", URL_AUTH, () => {
  describe("a login", () => {
    it.each<[string, Omit<NatsOptions, "subject">]>([
      ["user and password", { url: URL_AUTH, username: USER, password: PASSWORD }],
      ["user and password in the url", { url: URL_AUTH.replace("//", `//${USER}:${PASSWORD}@`) }],
      ["fields before the url", { url: URL_AUTH.replace("//", "//a:b@"), username: USER, password: PASSWORD }],
      ["a token", { url: URL_TOKEN, token: TOKEN }],
      ["a token beside a user, which it goes before", { url: URL_TOKEN, token: TOKEN, username: "u" }],
      ["a token in the url", { url: URL_TOKEN.replace("//", `//${TOKEN}@`) }],
      ["an nkey", { url: URL_AUTH, nkey_seed: SEED }],
    ])("with %s is taken", (_, config) => logsIn(config));

    it.each<[string, Omit<NatsOptions, "subject">, string]>([
      ["a wrong password", { url: URL_AUTH, username: USER, password: "hunter2" }, "MQB_NATS_LOGIN"],
      ["no credentials", { url: URL_AUTH }, "MQB_NATS_LOGIN"],
      ["a wrong token", { url: URL_TOKEN, token: "hunter2" }, "MQB_NATS_LOGIN"],
      ["an nkey that nobody knows", { url: URL_AUTH, nkey_seed: userSeed() }, "MQB_NATS_LOGIN"],
      ["a seed that is none", { url: URL_AUTH, nkey_seed: "SUhunter2" }, "MQB_NATS_NKEY"],
      [
        "a credentials file that is not there",
        { url: URL_AUTH, creds_file: "/none.creds" },
        "MQB_NATS_CREDENTIALS_FILE",
      ],
    ])("with %s is refused at once, without the secret in any text", async (_, config, code) => {
      const error = await logsIn(config).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code, kind: "config" });
      const text = JSON.stringify([String(error), (error as Error).stack, (error as { cause?: unknown }).cause]);
      expect(text).not.toContain("hunter2");
      if (config.nkey_seed) expect(text).not.toContain(config.nkey_seed);
    });
  });

  describe("a list of servers", () => {
    it("is gone through until one takes us, and nothing is left of it when none does", async () => {
      const there = URL_TOKEN.replace("nats://", "");
      for (let n = 0; n < 4; n++) await logsIn({ url: `nats://127.0.0.1:1,${there},127.0.0.1:2`, token: TOKEN });
      await expect(logsIn({ url: "nats://127.0.0.1:1,127.0.0.1:2" })).rejects.toMatchObject({
        code: "MQB_NATS_UNREACHABLE",
        kind: "connection",
      });
    });
  });

  describe.skipIf(!hasBinary)("a credentials file", () => {
    it("is taken by a server that knows its account, and refused by another", async () => {
      const [known, stranger] = [accounts(), accounts()];
      await using server = await PrivateServer.start(known.config);
      const file = join(server.dir, "user.creds");
      await writeFile(file, known.creds.replaceAll("\n", "\r\n"));
      await logsIn({ url: server.url, creds_file: file });
      await writeFile(file, stranger.creds);
      await expect(logsIn({ url: server.url, creds_file: file })).rejects.toMatchObject({ code: "MQB_NATS_LOGIN" });
      await writeFile(file, "nothing of it");
      await expect(logsIn({ url: server.url, creds_file: file })).rejects.toMatchObject({
        code: "MQB_NATS_CREDENTIALS_FILE",
      });
    });
  });

  describe.skipIf(!hasBinary)("what a login does not permit", () => {
    it("is an error of the configuration that names it", async () => {
      const permissions = 'publish: { deny: ["secret.>"] }, subscribe: { deny: ["secret.>"] }';
      await using server = await PrivateServer.start(
        `authorization { users: [{ user: "u", password: "p", permissions: { ${permissions} } }] }`,
      );
      const config = { url: server.url, username: "u", password: "p", subject: "secret.a", no_jetstream: true };
      await using ends = new Ends();
      await expect(ends.input({ ...config, stream: "any" })).rejects.toMatchObject({
        code: "MQB_NATS_NOT_PERMITTED",
        message: expect.stringContaining("secret.a"),
      });
    });

    it("is never taken for sent, over core NATS and into a stream", async () => {
      const user = '{ user: "u", password: "p", permissions: { publish: { deny: ["secret.>"] } } }';
      await using server = await PrivateServer.start(
        `jetstream { store_dir: @STORE@ }\nauthorization { users: [${user}] }`,
      );
      await using ends = new Ends();
      const config = { url: server.url, username: "u", password: "p", subject: "secret.a", shared: false };
      for (const how of [{ no_jetstream: true }, { stream: "secret" }, { request_reply: true }]) {
        const publisher = await ends.output({ ...config, ...how });
        const sending = publisher.send(batchOf([new Message("1")]), new AbortController().signal);
        const error = await sending.then(
          (outcomes) => (outcomes?.[0] as { error?: unknown } | undefined)?.error,
          (thrown: unknown) => thrown,
        );
        expect(error, JSON.stringify(how)).toMatchObject({ code: "MQB_NATS_NOT_PERMITTED", kind: "config" });
      }
    });

    it("is an error of the configuration when there is no JetStream", async () => {
      await using server = await PrivateServer.start("");
      await using ends = new Ends();
      for (const open of [ends.input.bind(ends), ends.output.bind(ends)]) {
        await expect(open({ url: server.url, stream: "s", subject: "s.a" })).rejects.toMatchObject({
          code: "MQB_NATS_NO_JETSTREAM",
          kind: "config",
        });
      }
    });
  });
});

function userSeed(): string {
  return Buffer.from(nkeys.createUser().getSeed()).toString();
}

/** An operator with one account and one user of it: the server's configuration and the user's credentials file. */
function accounts(): { readonly config: string; readonly creds: string } {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  type Pair = typeof operator;
  const jwt = (subject: Pair, issuer: Pair, name: string, claims: object): string => {
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const body = { jti: name, iat: 1, iss: issuer.getPublicKey(), name, sub: subject.getPublicKey(), nats: claims };
    const text = `${part({ typ: "JWT", alg: "ed25519-nkey" })}.${part(body)}`;
    return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString("base64url")}`;
  };
  const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const operatorJwt = jwt(operator, operator, "O", { type: "operator", version: 2 });
  const accountJwt = jwt(account, operator, "A", { type: "account", version: 2, limits });
  const userJwt = jwt(user, account, "U", {
    type: "user",
    version: 2,
    subs: -1,
    data: -1,
    payload: -1,
    pub: {},
    sub: {},
  });
  const preload = `resolver_preload: { ${account.getPublicKey()}: "${accountJwt}" }`;
  const block = (what: string, text: string): string => `-----BEGIN ${what}-----\n${text}\n------END ${what}------\n`;
  return {
    config: `operator: "${operatorJwt}"\nresolver: MEMORY\n${preload}`,
    creds: `${block("NATS USER JWT", userJwt)}\n${block("USER NKEY SEED", Buffer.from(user.getSeed()).toString())}`,
  };
}
