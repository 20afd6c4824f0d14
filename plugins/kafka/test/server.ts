import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { describe } from "vitest";

/** Where the servers of `scripts/services` listen. */
export const KAFKA_URL: string = process.env["MQB_TEST_KAFKA_URL"] ?? "127.0.0.1:28092";
export const SASL_URL: string = process.env["MQB_TEST_KAFKA_SASL_URL"] ?? "127.0.0.1:28094";
export const TLS_URL: string = process.env["MQB_TEST_KAFKA_TLS_URL"] ?? "127.0.0.1:28095";
export const SASL_TLS_URL: string = process.env["MQB_TEST_KAFKA_SASL_TLS_URL"] ?? "127.0.0.1:28096";
export const MTLS_URL: string = process.env["MQB_TEST_KAFKA_MTLS_URL"] ?? "127.0.0.1:28097";
export const USER: string = process.env["MQB_TEST_KAFKA_USER"] ?? "mqb";
export const PASSWORD: string = process.env["MQB_TEST_KAFKA_PASSWORD"] ?? "test-password";
export const CA_FILE: string = process.env["MQB_TEST_CA_FILE"] ?? "/tmp/mqb-services/certificates/made/ca.pem";

export interface Address {
  readonly host: string;
  readonly port: number;
}

export function addressOf(url: string): Address {
  const colon = url.lastIndexOf(":");
  return { host: url.slice(0, colon), port: Number(url.slice(colon + 1)) };
}

/** A name that nobody has used. */
export function freshName(stem = "t"): string {
  return `${stem}-${randomBytes(6).toString("hex")}`;
}

/** Tests that need Kafka: skipped where it does not run, a failure where `MQB_TEST_REQUIRE` names it. */
export async function withKafka(body: () => void, url: string = KAFKA_URL): Promise<void> {
  const isUp = await isReachable(addressOf(url));
  const required = (process.env["MQB_TEST_REQUIRE"] ?? "").split(/[\s,]+/).includes("kafka");
  if (!isUp && required) throw new Error(`MQB_TEST_REQUIRE names kafka, and nothing listens at ${url}`);
  const title = isUp ? "kafka" : `kafka does not run at ${url}: scripts/services up kafka`;
  (isUp ? describe : describe.skip)(title, body);
}

function isReachable({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const answer = (isUp: boolean) => (): void => {
      socket.destroy();
      resolve(isUp);
    };
    socket.setTimeout(2000, answer(false));
    socket.on("error", answer(false));
    socket.on("connect", answer(true));
  });
}
