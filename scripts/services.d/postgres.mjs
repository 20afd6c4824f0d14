import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../services-frame/probe.mjs";

const USER = "mqb";
const PASSWORD = "test-password";
const VERSIONS = "/usr/lib/postgresql";

/** @type {import("../services-frame/server.mjs").Server} */
const postgres = {
  ...common(),
  name: "postgres",
  about: "PostgreSQL with logical decoding and TLS",
  ports: { main: 25432 },
  env: (means) => ({ MQB_TEST_POSTGRES_URL: address(means), MQB_TEST_CA_FILE: means.ca }),
};

/** @type {import("../services-frame/server.mjs").Server} */
const spare = {
  ...common(),
  name: "postgres-spare",
  about: "A second PostgreSQL, for tests that stop, kill and restart it",
  ports: { main: 25442 },
  env: (means) => ({ MQB_TEST_POSTGRES_SPARE_URL: address(means) }),
};

export default [postgres, spare];

/** @param {import("../services-frame/server.mjs").Means} means */
function address(means) {
  return `postgres://${USER}:${PASSWORD}@127.0.0.1:${means.ports["main"]}/postgres`;
}

/** @returns {Omit<import("../services-frame/server.mjs").Server, "name" | "about" | "ports" | "env">} */
function common() {
  return {
    packages: ["postgresql", "openssl"],
    user: "postgres",
    stopSignal: "SIGINT", // "fast"; SIGTERM would wait for the clients
    isInstalled: () => newest() !== undefined,
    async start(means) {
      const cluster = join(means.data, "cluster");
      if (!existsSync(join(cluster, "PG_VERSION"))) {
        // A half-made cluster, of a start that was interrupted, would be in the way.
        for (const left of [cluster, `${cluster}.new`]) rmSync(left, { recursive: true, force: true });
        const password = join(means.data, "password");
        writeFileSync(password, `${PASSWORD}\n`, { mode: 0o600 });
        means.give(password);
        const access = ["--username", USER, "--pwfile", password, "--auth", "scram-sha-256"];
        await means.run([
          binary("initdb"),
          "-D",
          `${cluster}.new`,
          ...access,
          "-E",
          "UTF8",
          "--locale=C.UTF-8",
          "--no-sync",
        ]);
        await means.run(["mv", `${cluster}.new`, cluster]);
      }
      // Left by a SIGKILL. The server would take the pid in it for a running one if another process has that pid by now.
      rmSync(join(cluster, "postmaster.pid"), { force: true });
      const { ca, certificate, key } = await means.certificates();
      const settings = {
        listen_addresses: "127.0.0.1",
        unix_socket_directories: "",
        wal_level: "logical",
        max_replication_slots: 40,
        max_wal_senders: 40,
        max_connections: 200,
        max_prepared_transactions: 10,
        // A killed process loses nothing that the system has taken over. synchronous_commit=off would lose commits.
        fsync: "off",
        full_page_writes: "off",
        shared_buffers: "64MB",
        max_wal_size: "256MB",
        wal_sender_timeout: "10s",
        timezone: "UTC",
        ssl: "on",
        ssl_ca_file: ca,
        ssl_cert_file: certificate,
        ssl_key_file: key,
      };
      const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      await means.spawn([binary("postgres"), "-D", cluster, "-p", `${means.ports["main"]}`, ...options]);
    },
    async ready(means) {
      // It asks for the password once it lets clients in; before that it answers with an error.
      const [kind] = await ask(means.ports["main"] ?? 0, startup({ user: USER, database: "postgres" }));
      if (kind !== "R".charCodeAt(0)) throw new Error("does not accept connections yet");
    },
  };
}

/** @param {Record<string, string>} parameters */
function startup(parameters) {
  const body = Buffer.from(`${Object.entries(parameters).flat().join("\0")}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  head.writeInt32BE(3 << 16, 4);
  return Buffer.concat([head, body]);
}

/** @param {string} name */
function binary(name) {
  return join(VERSIONS, `${newest()}`, "bin", name);
}

function newest() {
  if (!existsSync(VERSIONS)) return undefined;
  const versions = readdirSync(VERSIONS).filter((version) => existsSync(join(VERSIONS, version, "bin", "postgres")));
  return versions.sort((a, b) => Number(a) - Number(b)).at(-1);
}
