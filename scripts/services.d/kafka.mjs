import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ask } from "../services-frame/probe.mjs";

const KAFKA = "4.4.0";
const SLF4J = "1.7.36";
const USER = "mqb";
const PASSWORD = "test-password";
/** Any 16 bytes in base64url. */
const CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg";

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>mqb.test</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${KAFKA}</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>${KAFKA}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>${SLF4J}</version></dependency>
  </dependencies>
</project>
`;

/** Outside of the clone and of the scratch folder, so that a fresh checkout does not fetch the jars again. */
const LIBRARY = join(
  process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"),
  "mqb-services",
  `kafka-${createHash("sha256").update(POM).digest("hex").slice(0, 12)}`,
);

/** @type {import("../services-frame/server.mjs").Server} */
const kafka = {
  ...common(),
  name: "kafka",
  about: "Apache Kafka, one node: open, SASL, TLS, SASL over TLS, TLS with client certificates",
  ports: { main: 28092, controller: 28093, sasl: 28094, tls: 28095, "sasl-tls": 28096, mtls: 28097 },
  env: (means) => ({
    MQB_TEST_KAFKA_URL: address(means, "main"),
    MQB_TEST_KAFKA_SASL_URL: address(means, "sasl"),
    MQB_TEST_KAFKA_TLS_URL: address(means, "tls"),
    MQB_TEST_KAFKA_SASL_TLS_URL: address(means, "sasl-tls"),
    MQB_TEST_KAFKA_MTLS_URL: address(means, "mtls"),
    MQB_TEST_KAFKA_USER: USER,
    MQB_TEST_KAFKA_PASSWORD: PASSWORD,
    MQB_TEST_KAFKA_LIB: LIBRARY,
    MQB_TEST_CA_FILE: means.ca,
  }),
};

/** @type {import("../services-frame/server.mjs").Server} */
const spare = {
  ...common(),
  name: "kafka-spare",
  about: "A second Apache Kafka, for tests that stop, kill and restart it",
  ports: { main: 28192, controller: 28193, sasl: 28194, tls: 28195, "sasl-tls": 28196, mtls: 28197 },
  env: (means) => ({ MQB_TEST_KAFKA_SPARE_URL: address(means, "main") }),
};

export default [kafka, spare];

function common() {
  const packages = ["default-jre-headless", "maven", "openssl"];
  // Three seconds on a machine with nothing else to do.
  return { packages, waitSeconds: 120, isInstalled, install, start, ready };
}

function isInstalled() {
  return existsSync(LIBRARY);
}

/**
 * From a Maven repository: whichever the machine's Maven is set up for.
 * @param {import("../services-frame/server.mjs").Means} means
 */
async function install(means) {
  if (isInstalled()) return;
  const draft = `${LIBRARY}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, "pom.xml"), POM);
  const copy = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";
  const env = /** @type {Record<string, string>} */ (process.env);
  await means.run(["mvn", "-B", "-q", "-f", join(draft, "pom.xml"), copy, `-DoutputDirectory=${draft}`], {
    env,
    asRoot: true,
  });
  if (!isInstalled()) renameSync(draft, LIBRARY);
  else rmSync(draft, { recursive: true, force: true });
}

/** @param {import("../services-frame/server.mjs").Means} means */
async function start(means) {
  const settings = join(means.data, "server.properties");
  const properties = await brokerSettings(means);
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}`);
  writeFileSync(settings, `${lines.join("\n")}\n`, { mode: 0o600 });
  if (!existsSync(join(means.data, "formatted"))) {
    rmSync(join(means.data, "logs"), { recursive: true, force: true });
    const scram = [256, 512].map((bits) => `SCRAM-SHA-${bits}=[name=${USER},password=${PASSWORD}]`);
    const users = scram.flatMap((user) => ["--add-scram", user]);
    await means.run([
      ...java("-Xmx256m", "-XX:TieredStopAtLevel=1"),
      ...["kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", settings, ...users],
    ]);
    writeFileSync(join(means.data, "formatted"), "");
  }
  await means.spawn([...java("-Xmx512m", "-Xms256m"), "kafka.Kafka", settings]);
}

/**
 * The group coordinator is the last thing to come: FindCoordinator, version 0, for a group that nobody has. Its first
 * answer makes the topic of the offsets.
 * @param {import("../services-frame/server.mjs").Means} means
 */
async function ready(means) {
  const answer = await ask(means.ports["main"] ?? 0, request(10, 1, text("ready"), Buffer.from([0])), 14);
  const code = answer.readInt16BE(12);
  if (code !== 0) throw new Error(`the group coordinator is not there yet: error ${code}`);
}

/**
 * @param {number} key
 * @param {number} version
 * @param {readonly Buffer[]} body
 */
function request(key, version, ...body) {
  const head = Buffer.alloc(12);
  head.writeInt16BE(key, 4);
  head.writeInt16BE(version, 6);
  const whole = Buffer.concat([head, text("mqb-ready"), ...body]);
  whole.writeInt32BE(whole.length - 4, 0);
  return whole;
}

/** @param {string} value */
function text(value) {
  const length = Buffer.alloc(2);
  length.writeInt16BE(value.length);
  return Buffer.concat([length, Buffer.from(value)]);
}

/** @param {readonly string[]} options */
function java(...options) {
  const quiet = ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true"];
  return ["java", ...options, "-XX:+UseSerialGC", "-Xshare:auto", ...quiet, "-cp", join(LIBRARY, "*")];
}

/** @param {import("../services-frame/server.mjs").Means} means */
async function brokerSettings(means) {
  const { ca, certificate, key } = await means.certificates();
  const identity = join(means.data, "identity.pem");
  writeFileSync(identity, readFileSync(key, "utf8") + readFileSync(certificate, "utf8"), { mode: 0o600 });
  const listeners = [
    `PLAINTEXT://${address(means, "main")}`,
    `SASL_PLAINTEXT://${address(means, "sasl")}`,
    `SSL://${address(means, "tls")}`,
    `SASL_SSL://${address(means, "sasl-tls")}`,
    `MTLS://${address(means, "mtls")}`,
  ].join(",");
  /** @type {Record<string, string | number>} */
  const settings = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.voters": `1@${address(means, "controller")}`,
    listeners: `${listeners},CONTROLLER://${address(means, "controller")}`,
    "advertised.listeners": listeners,
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "PLAINTEXT",
    "listener.security.protocol.map":
      "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL,MTLS:SSL",
    "log.dirs": join(means.data, "logs"),
    "num.partitions": 1,
    "default.replication.factor": 1,
    "min.insync.replicas": 1,
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": 0,
    "group.min.session.timeout.ms": 1000,
    "num.network.threads": 2,
    "num.io.threads": 4,
    "background.threads": 2,
    "num.recovery.threads.per.data.dir": 2,
    "log.cleaner.dedupe.buffer.size": 4 << 20,
    // Compaction within seconds, where a topic asks for it.
    "log.cleaner.backoff.ms": 500,
    // A broker that was killed holds its registration for so long: a restart waits for it.
    "broker.session.timeout.ms": 2000,
    "broker.heartbeat.interval.ms": 200,
    "controller.quorum.election.timeout.ms": 200,
    "controller.quorum.election.backoff.max.ms": 100,
    "controller.quorum.fetch.timeout.ms": 1000,
    "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
  };
  for (const topic of ["offsets.topic", "transaction.state.log", "share.coordinator.state.topic"]) {
    settings[`${topic}.num.partitions`] = 1;
    settings[`${topic}.replication.factor`] = 1;
    if (topic !== "offsets.topic") settings[`${topic}.min.isr`] = 1;
  }
  const login = "org.apache.kafka.common.security";
  for (const listener of ["sasl_plaintext", "sasl_ssl"]) {
    const at = `listener.name.${listener}`;
    settings[`${at}.plain.sasl.jaas.config`] = `${login}.plain.PlainLoginModule required user_${USER}="${PASSWORD}";`;
    for (const bits of [256, 512])
      settings[`${at}.scram-sha-${bits}.sasl.jaas.config`] = `${login}.scram.ScramLoginModule required;`;
  }
  for (const listener of ["ssl", "sasl_ssl", "mtls"]) {
    const at = `listener.name.${listener}.ssl`;
    settings[`${at}.keystore.type`] = "PEM";
    settings[`${at}.keystore.location`] = identity;
    settings[`${at}.truststore.type`] = "PEM";
    settings[`${at}.truststore.location`] = ca;
    settings[`${at}.client.auth`] = listener === "mtls" ? "required" : "none";
  }
  return settings;
}

/**
 * @param {import("../services-frame/server.mjs").Means} means
 * @param {string} role
 */
function address(means, role) {
  return `127.0.0.1:${means.ports[role]}`;
}
