import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../services-frame/probe.mjs";

const BINARY = "/usr/sbin/mariadbd";
const USER = "mqb";
const PASSWORD = "test-password";

/** @typedef {import("../services-frame/server.mjs").Means} Means */

/** @type {import("../services-frame/server.mjs").Server} */
const main = {
  ...common(1),
  name: "mariadb",
  about: "MariaDB with a binary log of rows, GTIDs and TLS",
  ports: { main: 23306 },
  env: (means) => ({ MQB_TEST_MARIADB_URL: address(means), MQB_TEST_CA_FILE: means.ca }),
};

/** @type {import("../services-frame/server.mjs").Server} */
const spare = {
  ...common(2),
  name: "mariadb-spare",
  about: "A second MariaDB, for tests that stop, kill and restart it",
  ports: { main: 23307 },
  env: (means) => ({ MQB_TEST_MARIADB_SPARE_URL: address(means) }),
};

export default [main, spare];

/** @param {number} serverId */
function common(serverId) {
  return {
    packages: ["mariadb-server", "openssl"],
    user: "mysql",
    isInstalled: () => existsSync(BINARY),
    start: (/** @type {Means} */ means) => start(means, serverId),
    ready,
  };
}

/**
 * @param {Means} means
 * @param {number} serverId
 */
async function start(means, serverId) {
  const data = join(means.data, "data");
  if (!existsSync(data)) {
    // A half-made folder, of a start that was interrupted, would be in the way.
    rmSync(`${data}.new`, { recursive: true, force: true });
    await means.run([
      "mariadb-install-db",
      "--no-defaults",
      `--datadir=${data}.new`,
      "--auth-root-authentication-method=normal",
      "--skip-test-db",
      "--skip-name-resolve",
    ]);
    await means.run(["mv", `${data}.new`, data]);
  }
  // Read before the port answers: whoever gets an answer can log in. Not in the log, which tests read.
  const users = join(means.data, "users.sql");
  const statements = [
    "SET SESSION sql_log_bin=0",
    `CREATE USER IF NOT EXISTS '${USER}'@'%' IDENTIFIED BY '${PASSWORD}'`,
    `GRANT ALL PRIVILEGES ON *.* TO '${USER}'@'%' WITH GRANT OPTION`,
    "CREATE DATABASE IF NOT EXISTS mqb CHARACTER SET utf8mb4",
  ];
  writeFileSync(users, `${statements.join(";\n")};\n`, { mode: 0o600 });
  means.give(users);
  const { ca, certificate, key } = await means.certificates();
  const settings = {
    datadir: data,
    port: means.ports["main"],
    "bind-address": "127.0.0.1",
    socket: join(means.data, "m.sock"),
    "pid-file": join(means.data, "m.pid"),
    "init-file": users,
    "server-id": serverId,
    "gtid-domain-id": serverId,
    "log-bin": "binlog",
    "binlog-format": "ROW",
    "binlog-row-image": "FULL",
    "binlog-row-metadata": "FULL",
    "gtid-strict-mode": 1,
    // A killed process loses nothing that the system has taken over.
    "sync-binlog": 0,
    "innodb-flush-log-at-trx-commit": 2,
    "innodb-buffer-pool-size": "64M",
    "innodb-log-file-size": "64M",
    "character-set-server": "utf8mb4",
    "max-connections": 200,
    "expire-logs-days": 1,
    "ssl-ca": ca,
    "ssl-cert": certificate,
    "ssl-key": key,
  };
  const options = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  await means.spawn([BINARY, "--no-defaults", "--skip-name-resolve", ...options]);
}

/**
 * Its first packet says the version of the protocol, or, while it takes nobody, that there is an error.
 * @param {Means} means
 */
async function ready(means) {
  const packet = await ask(means.ports["main"] ?? 0, "", 5);
  if (packet[4] !== 10) throw new Error("does not accept connections yet");
}

/** @param {Means} means */
function address(means) {
  return `mysql://${USER}:${PASSWORD}@127.0.0.1:${means.ports["main"]}/mqb`;
}
