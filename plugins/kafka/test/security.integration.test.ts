import { connect, createServer } from "node:net";
import { describeError, isMqbError } from "@mqb/core/plugin";
import { testCertificates } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { KafkaOptions } from "../src/index.ts";
import { createTopic } from "./admin.ts";
import { LOGINS, login, plainLogin, trusting } from "./logins.ts";
import { sendAll, takeAll } from "./open.ts";
import {
  addressOf,
  CA_FILE,
  freshName,
  KAFKA_URL,
  MTLS_URL,
  PASSWORD,
  SASL_TLS_URL,
  SASL_URL,
  TLS_URL,
  withKafka,
} from "./server.ts";

const QUICK: [string, string][] = [["fetch.wait.max.ms", "50"]];

await withKafka(() => {
  describe("connects, writes and reads with", () => {
    it.each(Object.entries(LOGINS))("%s", async (_, options) => {
      const topic = freshName();
      await createTopic(topic);
      const { producer_options: security = [] } = options;
      await sendAll({ ...options, topic }, ["one"]);
      const consumer = { ...options, consumer_options: [...QUICK, ...security!], topic, group_id: topic };
      const [message] = await takeAll(consumer, 1);
      expect(message!.text()).toBe("one");
    });
  });

  const { ca, otherCa } = testCertificates();
  const refused: Readonly<Record<string, readonly [Partial<KafkaOptions>, string, RegExp?]>> = {
    "a wrong password": [
      { url: SASL_URL, ...login, password: "wrong", producer_options: plainLogin },
      "MQB_KAFKA_NOT_LOGGED_IN",
    ],
    "a wrong password of SCRAM": [
      {
        url: SASL_URL,
        ...login,
        password: "wrong",
        producer_options: [...plainLogin, ["sasl.mechanism", "SCRAM-SHA-512"]],
      },
      "MQB_KAFKA_NOT_LOGGED_IN",
    ],
    "a user that nobody knows": [
      { url: SASL_TLS_URL, ...login, username: "x", tls: { ca_file: CA_FILE } },
      "MQB_KAFKA_NOT_LOGGED_IN",
    ],
    "an authority that nobody named": [{ url: TLS_URL, tls: { required: true } }, "MQB_TLS_UNTRUSTED"],
    "another authority": [
      { url: TLS_URL, tls: { required: true, ca_file: otherCa } },
      "MQB_TLS_UNTRUSTED",
      /other-ca|authorities in/,
    ],
    "an authority of another place": [{ url: TLS_URL, tls: { required: true, ca_file: ca } }, "MQB_TLS_UNTRUSTED"],
    "a file that is not there": [
      { url: TLS_URL, tls: { required: true, ca_file: "/no/such/ca.pem" } },
      "MQB_TLS_FILE",
      /ca_file/,
    ],
    "no client certificate": [{ url: MTLS_URL, tls: trusting }, "MQB_TLS_REFUSED"],
  };
  describe("is a mistake of the configuration at once:", () => {
    it.each(Object.entries(refused))("%s", async (_, [options, code, says]) => {
      const error = await sendAll({ ...options, topic: "t" }, ["x"]).catch((thrown: unknown) => thrown);
      expect(isMqbError(error) && `${error.code} ${error.kind}`, describeError(error)).toBe(`${code} config`);
      if (says) expect(describeError(error)).toMatch(says);
      expect(describeError(error)).not.toContain(PASSWORD);
    });

    it("a certificate for another name", async () => {
      const server = createServer((client) => {
        const broker = connect(addressOf(TLS_URL));
        client.pipe(broker).pipe(client);
        client.on("error", () => broker.destroy());
        broker.on("error", () => client.destroy());
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.2", resolve));
      const { port } = server.address() as { port: number };
      try {
        const options = { url: `127.0.0.2:${port}`, topic: "t", tls: trusting };
        const error = await sendAll(options, ["x"]).catch((thrown: unknown) => thrown);
        expect(isMqbError(error) && `${error.code} ${error.kind}`, describeError(error)).toBe(
          "MQB_TLS_WRONG_NAME config",
        );
        // The name does not count where it is said not to.
        const lax = {
          ...options,
          producer_options: [["ssl.endpoint.identification.algorithm", "none"]] as [string, string][],
        };
        await expect(sendAll({ ...lax, topic: freshName() }, ["x"])).resolves.toBeUndefined();
      } finally {
        server.close();
      }
    });
  });

  it("a port that speaks something else is out of reach, not waited for", async () => {
    for (const options of [{ url: KAFKA_URL, tls: trusting }, { url: TLS_URL }, { url: SASL_URL }]) {
      const error = await sendAll({ ...options, topic: "t" }, ["x"]).catch((thrown: unknown) => thrown);
      expect(isMqbError(error) && ["connection", "config"].includes(error.kind), describeError(error)).toBe(true);
    }
  });
});
