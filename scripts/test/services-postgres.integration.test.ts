import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireService } from "./require-service.ts";
import { freePort, scratchFolder, servicesIn } from "./services-call.ts";

const missing = await requireService("postgres", async () =>
  existsSync("/usr/lib/postgresql") && existsSync("/usr/bin/psql") ? undefined : "PostgreSQL is not installed",
);

// One story in order: each test starts from what the one before it has left.
describe.skipIf(missing !== undefined)("scripts/services with a real PostgreSQL", () => {
  const folder = scratchFolder();
  let services = servicesIn(folder);
  let found: Record<string, string> = {};

  const sql = (statement: string, options = "") =>
    execFileSync("psql", [`${found["MQB_TEST_POSTGRES_URL"]}${options}`, "-XAtqc", statement], {
      encoding: "utf8",
    }).trim();

  beforeAll(async () => {
    services = servicesIn(folder, { MQB_SERVICES_POSTGRES_PORT: `${await freePort()}` });
  });
  afterAll(async () => {
    await services("wipe", "postgres");
    rmSync(folder, { recursive: true, force: true });
  });

  it("makes its data at the first start and lets clients in when up returns", async () => {
    expect(await services("up", "postgres")).toMatchObject({ code: 0, stderr: "" });
    const lines = (await services("env", "postgres")).stdout.matchAll(/^export (\w+)='(.*)'$/gm);
    found = Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
    expect(sql("show wal_level")).toBe("logical");
  });

  it("speaks TLS with a certificate that the printed authority vouches for", () => {
    const options = `?sslmode=verify-full&sslrootcert=${found["MQB_TEST_CA_FILE"]}`;
    expect(sql("select ssl from pg_stat_ssl where pid = pg_backend_pid()", options)).toBe("t");
  });

  it("keeps what it has committed over a kill of all its processes", async () => {
    sql("create table kept as select generate_series(1, 1000)");
    expect((await services("kill", "postgres")).code).toBe(0);
    expect((await services("up", "postgres")).code).toBe(0);
    expect(sql("select count(*) from kept")).toBe("1000");
  });

  it("ends while a client is connected", async () => {
    const client = spawn("psql", [`${found["MQB_TEST_POSTGRES_URL"]}`, "-XAtq"], { stdio: ["pipe", "pipe", "ignore"] });
    client.stdin.write("select 'connected';\n");
    await once(client.stdout, "data");
    expect((await services("down", "postgres")).code).toBe(0);
    client.kill();
    expect((await services("status", "postgres")).stdout).toMatch(/^postgres +down/m);
  });
});
