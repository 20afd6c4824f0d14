import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const VERSION = "2.15.3";
const OLD_BINARY = "/usr/sbin/nats-server";
const USER = "mqb";
const PASSWORD = "test-password";
const TOKEN = "test-token";
/** The public half of the seed below. */
const NKEY = "UBLIBNZ5OTPZOKVIGZR55GU5MR2UZFCC2NVZT6RU2VCPU5HAK6VFSRTY";
const NKEY_SEED = "SUAFH6IX5VOFGZDKEHB3XFIUXU4N3PXGUWSRITNT6RNICPUTZW73LG4N4Q";

/** A mebibyte of payload, as some tests send it, has headers beside it. */
const LARGE = "max_payload: 2MB";

/** Outside of the clone and of the scratch folder, so that a fresh checkout does not build it again. */
const LIBRARY = join(
  process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"),
  "mqb-services",
  `nats-server-${VERSION}`,
);
const BINARY = join(LIBRARY, "nats-server");

/** Where Go lies when nobody has put it into the PATH: its own archive's place, and Debian's. */
const GO_FOLDERS = ["/usr/local/go/bin", "/usr/lib/go/bin"];

/** @typedef {import("../services-frame/server.mjs").Means} Means */

/** @type {import("../services-frame/server.mjs").Server} */
const open = {
  ...current(),
  name: "nats",
  about: `nats-server ${VERSION} with JetStream, open`,
  ports: { main: 24222, monitor: 24322 },
  start: (means) => run(means, BINARY, "main", "monitor", LARGE),
  ready: (means) => healthy(means, "monitor"),
  env: (means) => ({
    MQB_TEST_NATS_URL: address(means, "main"),
    MQB_TEST_NATS_MONITOR_URL: `http://127.0.0.1:${means.ports["monitor"]}`,
    MQB_TEST_NATS_SERVER: BINARY,
  }),
};

/** @type {import("../services-frame/server.mjs").Server} */
const spare = {
  ...open,
  name: "nats-spare",
  about: "A second nats-server, for tests that stop, kill and restart it",
  ports: { main: 24232, monitor: 24332 },
  env: (means) => ({ MQB_TEST_NATS_SPARE_URL: address(means, "main") }),
};

/** @type {import("../services-frame/server.mjs").Server} */
const guarded = {
  ...current(),
  name: "nats-auth",
  about: "nats-server with users (password or nkey), a token, TLS, TLS with client certificates: a process for each",
  ports: {
    main: 24242,
    token: 24243,
    tls: 24244,
    mtls: 24245,
    "main-monitor": 24342,
    "token-monitor": 24343,
    "tls-monitor": 24344,
    "mtls-monitor": 24345,
  },
  async start(means) {
    const { ca, certificate, key } = await means.certificates();
    const files = `cert_file: "${certificate}", key_file: "${key}"`;
    const users = `users: [{ user: "${USER}", password: "${PASSWORD}" }, { nkey: "${NKEY}" }]`;
    await run(means, BINARY, "main", "main-monitor", `authorization { ${users} }`);
    await run(means, BINARY, "token", "token-monitor", `authorization { token: "${TOKEN}" }`);
    await run(means, BINARY, "tls", "tls-monitor", `tls { ${files} }`);
    await run(means, BINARY, "mtls", "mtls-monitor", `tls { ${files}, ca_file: "${ca}", verify: true }`);
  },
  async ready(means) {
    for (const role of ["main", "token", "tls", "mtls"]) await healthy(means, `${role}-monitor`);
  },
  env: (means) => ({
    MQB_TEST_NATS_AUTH_URL: address(means, "main"),
    MQB_TEST_NATS_USER: USER,
    MQB_TEST_NATS_PASSWORD: PASSWORD,
    MQB_TEST_NATS_NKEY_SEED: NKEY_SEED,
    MQB_TEST_NATS_TOKEN_URL: address(means, "token"),
    MQB_TEST_NATS_TOKEN: TOKEN,
    MQB_TEST_NATS_TLS_URL: `tls://localhost:${means.ports["tls"]}`,
    MQB_TEST_NATS_MTLS_URL: `tls://localhost:${means.ports["mtls"]}`,
    MQB_TEST_CA_FILE: means.ca,
  }),
};

/** @type {import("../services-frame/server.mjs").Server} */
const old = {
  name: "nats-old",
  about: "nats-server 2.9 of Debian, open",
  packages: ["nats-server"],
  ports: { main: 24252, monitor: 24352 },
  isInstalled: () => existsSync(OLD_BINARY),
  start: (means) => run(means, OLD_BINARY, "main", "monitor", LARGE),
  ready: (means) => healthy(means, "monitor"),
  env: (means) => ({ MQB_TEST_NATS_OLD_URL: address(means, "main") }),
};

export default [open, spare, guarded, old];

function current() {
  return { packages: ["openssl"], isInstalled: () => existsSync(BINARY), install: build };
}

/**
 * Through the module proxy that the machine's Go is set up for.
 * @param {Means} means
 */
async function build(means) {
  if (existsSync(BINARY)) return;
  const draft = `${LIBRARY}.${process.pid}`;
  const inherited = /** @type {Record<string, string>} */ (process.env);
  const path = [inherited["PATH"], ...GO_FOLDERS].filter(Boolean).join(":");
  const env = { ...inherited, PATH: path, GOBIN: draft, CGO_ENABLED: "0", GOTOOLCHAIN: "local" };
  try {
    await means.run(["go", "install", "-buildvcs=false", `github.com/nats-io/nats-server/v2@v${VERSION}`], {
      env,
      asRoot: true,
    });
    if (!existsSync(BINARY)) renameSync(draft, LIBRARY);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * @param {Means} means
 * @param {string} binary
 * @param {string} role
 * @param {string} monitor
 */
async function run(means, binary, role, monitor, more = "") {
  const store = join(means.data, role);
  mkdirSync(store, { recursive: true });
  const file = join(means.data, `${role}.conf`);
  // What is acknowledged was given to the system, so that a SIGKILL loses nothing of it.
  const limits = "max_memory_store: 256MB, max_file_store: 8GB";
  const lines = [
    `server_name: "mqb-${means.ports[role]}"`,
    `listen: "127.0.0.1:${means.ports[role]}"`,
    `http: "127.0.0.1:${means.ports[monitor]}"`,
    `jetstream { store_dir: "${store}", ${limits} }`,
    more,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
  await means.spawn([binary, "-c", file], { role });
}

/**
 * Well once JetStream has read back what it holds.
 * @param {Means} means
 * @param {string} monitor
 */
async function healthy(means, monitor) {
  const answer = await fetch(`http://127.0.0.1:${means.ports[monitor]}/healthz`, { signal: AbortSignal.timeout(2000) });
  if (!answer.ok) throw new Error(`its health is ${answer.status}: ${await answer.text()}`);
}

/**
 * @param {Means} means
 * @param {string} role
 */
function address(means, role) {
  return `nats://127.0.0.1:${means.ports[role]}`;
}
