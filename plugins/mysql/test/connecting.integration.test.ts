import { type AddressInfo, connect, createServer } from "node:net";
import { createBridge, createRegistry } from "@mqb/core";
import { silentLogger } from "@mqb/core/plugin";
import { testCertificates } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { MysqlPool } from "../src/client/pool.ts";
import plugin from "../src/index.ts";
import { SERVER, sql } from "./server.ts";

const CA = process.env["MQB_TEST_CA_FILE"];
const settings = {
  url: SERVER,
  maxConnections: 2,
  minConnections: 0,
  acquireTimeoutMs: 5000,
  idleTimeoutMs: 60_000,
  maxLifetimeMs: 60_000,
  testBeforeAcquire: false,
  create: false,
};
const context = { path: "input.sqlx", baseDir: "/", log: silentLogger, signal: new AbortController().signal };
const CIPHER = "SHOW SESSION STATUS LIKE 'Ssl_cipher'";

async function withPool<T>(change: Partial<typeof settings>, work: (pool: MysqlPool) => Promise<T>): Promise<T> {
  const pool = await MysqlPool.connect({ ...settings, ...change }, context);
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}

const cipherOf = (url: string) =>
  withPool({ url }, (pool) => pool.use(async (session) => String((await session.query(CIPHER)).rows[0]![1])));
const at = (host: string, query: string) => `${SERVER.replace("127.0.0.1", host)}?${query}`;

describe("TLS", () => {
  it("is spoken or not as ssl-mode says", async () => {
    expect(await cipherOf(SERVER)).toBe("");
    expect(await cipherOf(at("127.0.0.1", "ssl-mode=DISABLED"))).toBe("");
    for (const mode of ["PREFERRED", "required"])
      expect(await cipherOf(at("127.0.0.1", `ssl-mode=${mode}`))).not.toBe("");
  });

  it.runIf(CA)("is checked against an authority, and by the name of the server", async () => {
    expect(await cipherOf(at("localhost", `ssl-mode=VERIFY_IDENTITY&ssl-ca=${CA}`))).not.toBe("");
    expect(await cipherOf(at("127.0.0.1", `ssl-mode=VERIFY_CA&ssl-ca=${CA}`))).not.toBe("");
    expect(await cipherOf(at("127.0.0.1", `ssl-mode=VERIFY_IDENTITY&ssl-ca=${CA}`))).not.toBe("");
  });

  it.runIf(CA)("is refused where the certificate is not for the address that was connected to", async () => {
    const { hostname, port } = new URL(SERVER);
    const other = createServer((client) => {
      const server = connect(Number(port), hostname);
      client.pipe(server).pipe(client);
      for (const socket of [client, server]) socket.on("error", () => {});
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.2", resolve));
    const address = `127.0.0.2:${(other.address() as AddressInfo).port}`;
    const through = (query: string) => cipherOf(`${SERVER.replace(`${hostname}:${port}`, address)}?${query}`);
    try {
      expect(await through(`ssl-mode=VERIFY_CA&ssl-ca=${CA}`)).not.toBe("");
      await expect(through(`ssl-mode=VERIFY_IDENTITY&ssl-ca=${CA}`)).rejects.toMatchObject({
        code: "MQB_TLS_WRONG_NAME",
      });
    } finally {
      other.close();
    }
  });

  it("with a server of an unknown authority is refused at the start, for good", async () => {
    for (const mode of ["VERIFY_CA", "VERIFY_IDENTITY"])
      await expect(cipherOf(at("localhost", `ssl-mode=${mode}`))).rejects.toMatchObject({ code: "MQB_TLS_UNTRUSTED" });
    const opening = createBridge({ registry: createRegistry([plugin]) }).openConsumer({
      sqlx: { url: at("localhost", ""), table: "t", tls: { required: true } },
    });
    await expect(opening).rejects.toMatchObject({ code: "MQB_TLS_UNTRUSTED", kind: "config" });
  });

  it("with an authority of its own that is another one is refused", async () => {
    const { otherCa } = testCertificates();
    await expect(cipherOf(at("localhost", `ssl-mode=VERIFY_CA&ssl-ca=${otherCa}`))).rejects.toMatchObject({
      code: "MQB_TLS_UNTRUSTED",
    });
  });
});

describe("a pool", () => {
  it("lets no more than max_connections be used at once; whoever waits too long may try again", async () => {
    await withPool({ maxConnections: 1, acquireTimeoutMs: 50 }, async (pool) => {
      let free = (): void => {};
      const held = pool.use(() => new Promise<void>((resolve) => (free = resolve)));
      await expect(pool.use(async () => {})).rejects.toMatchObject({ code: "MQB_SQL_BUSY", kind: "retryable" });
      free();
      await held;
      expect(await pool.use(async (session) => (await session.query("SELECT 1")).rows)).toEqual([["1"]]);
    });
  });

  it("uses a connection again, and another one when that is lost", async () => {
    await withPool({ maxConnections: 1, testBeforeAcquire: true }, async (pool) => {
      const id = () => pool.use(async (session) => String((await session.query("SELECT CONNECTION_ID()")).rows[0]![0]));
      const first = await id();
      expect(await id()).toBe(first);
      await sql(`KILL CONNECTION ${first}`);
      expect(await id()).not.toBe(first);
    });
  });

  it("says that the connection is lost to whoever uses it, and goes on with another one", async () => {
    await withPool({ maxConnections: 1 }, async (pool) => {
      const lost = pool.use(async (session) => {
        const [[id]] = (await session.query("SELECT CONNECTION_ID()")).rows as unknown as [[string]];
        const sleeping = session.query("SELECT SLEEP(30)");
        const [answer] = await Promise.all([sleeping, sql(`KILL CONNECTION ${id}`)]);
        return answer;
      });
      await expect(lost).rejects.toMatchObject({ code: "MQB_SQL_LOST", kind: "connection" });
      expect(await pool.use(async (session) => (await session.query("SELECT 1")).rows)).toEqual([["1"]]);
    });
  });

  it("closes a connection that is older than max_lifetime_ms when it is given back, and one that is idle", async () => {
    await withPool({ maxConnections: 1, maxLifetimeMs: 0 }, async (pool) => {
      const id = () => pool.use(async (session) => String((await session.query("SELECT CONNECTION_ID()")).rows[0]![0]));
      await id();
      expect(await id()).not.toBe(await id());
    });
  });

  it("keeps min_connections open", async () => {
    await withPool({ minConnections: 2, idleTimeoutMs: 0 }, async (pool) => {
      const both = await Promise.all(
        [1, 2].map(() =>
          pool.use(async (session) => String((await session.query("SELECT CONNECTION_ID()")).rows[0]![0])),
        ),
      );
      expect(new Set(both).size).toBe(2);
    });
  });
});
