import { existsSync } from "node:fs";
import { ask } from "../services-frame/probe.mjs";

const BINARY = "/usr/bin/redis-server";
const PASSWORD = "test-password";

/** @type {import("../services-frame/server.mjs").Server} */
const open = {
  ...common(),
  name: "redis",
  about: "Redis, without a password",
  ports: { main: 26379 },
  start: (means) => means.spawn([...command(means), "--port", `${means.ports["main"]}`]),
  ready: (means) => ping(means.ports["main"] ?? 0, "PING\r\n"),
  env: (means) => ({ MQB_TEST_REDIS_URL: `redis://127.0.0.1:${means.ports["main"]}` }),
};

/** @type {import("../services-frame/server.mjs").Server} */
const guarded = {
  ...common(),
  name: "redis-auth",
  about: "Redis with a password, and with TLS on a second port",
  ports: { main: 26380, tls: 26381 },
  async start(means) {
    const { ca, certificate, key } = await means.certificates();
    const ports = ["--port", `${means.ports["main"]}`, "--tls-port", `${means.ports["tls"]}`];
    const tls = ["--tls-ca-cert-file", ca, "--tls-cert-file", certificate, "--tls-key-file", key];
    await means.spawn([...command(means), ...ports, ...tls, "--tls-auth-clients", "no", "--requirepass", PASSWORD]);
  },
  ready: (means) => ping(means.ports["main"] ?? 0, `AUTH ${PASSWORD}\r\nPING\r\n`, "+OK\r\n"),
  env: (means) => ({
    MQB_TEST_REDIS_AUTH_URL: `redis://:${PASSWORD}@127.0.0.1:${means.ports["main"]}`,
    MQB_TEST_REDIS_TLS_URL: `rediss://:${PASSWORD}@localhost:${means.ports["tls"]}`,
    MQB_TEST_CA_FILE: means.ca,
  }),
};

export default [open, guarded];

function common() {
  return { packages: ["redis-server", "openssl"], user: "redis", isInstalled: () => existsSync(BINARY) };
}

/**
 * The append-only file keeps the data over a SIGKILL. No snapshots: Redis refuses to write after one has failed.
 * @param {import("../services-frame/server.mjs").Means} means
 */
function command(means) {
  const files = [
    "--dir",
    means.data,
    "--save",
    "",
    "--appendonly",
    "yes",
    "--appendfsync",
    "everysec",
    "--logfile",
    "",
  ];
  return [BINARY, "--bind", "127.0.0.1", "--daemonize", "no", "--enable-debug-command", "local", ...files];
}

/**
 * While the file is read back the answer is -LOADING.
 * @param {number} port
 * @param {string} question
 */
async function ping(port, question, before = "") {
  const expected = `${before}+PONG\r\n`;
  const answer = (await ask(port, question, expected.length)).toString("latin1");
  if (answer !== expected) throw new Error(`answered ${JSON.stringify(answer)}`);
}
