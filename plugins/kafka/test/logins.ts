import { dirname, join } from "node:path";
import type { KafkaOptions } from "../src/index.ts";
import { CA_FILE, MTLS_URL, PASSWORD, SASL_TLS_URL, SASL_URL, TLS_URL, USER } from "./server.ts";

export const login = { username: USER, password: PASSWORD };
export const trusting = { required: true, ca_file: CA_FILE };
/** The certificate of the server is good for clients, too. */
export const identity = {
  cert_file: join(dirname(CA_FILE), "server.pem"),
  key_file: join(dirname(CA_FILE), "server.key"),
};
export const plainLogin = [["security.protocol", "sasl_plaintext"]] as [string, string][];

/** What a server accepts, by what it is. */
export const LOGINS: Readonly<Record<string, Partial<KafkaOptions>>> = {
  "PLAIN without TLS": { url: SASL_URL, ...login, producer_options: plainLogin },
  "SCRAM-SHA-256": {
    url: SASL_URL,
    ...login,
    producer_options: [...plainLogin, ["sasl.mechanism", "SCRAM-SHA-256"]],
  },
  "SCRAM-SHA-512": {
    url: SASL_URL,
    ...login,
    producer_options: [...plainLogin, ["sasl.mechanisms", "SCRAM-SHA-512"]],
  },
  "PLAIN over TLS, as a user name alone asks for": { url: SASL_TLS_URL, ...login, tls: { ca_file: CA_FILE } },
  "TLS with an authority": { url: TLS_URL, tls: trusting },
  "TLS to whoever answers": { url: TLS_URL, tls: { required: true, accept_invalid_certs: true } },
  "TLS with a list of ciphers": {
    url: TLS_URL,
    tls: trusting,
    producer_options: [["ssl.cipher.suites", "ECDHE-ECDSA-AES256-GCM-SHA384:TLS_AES_256_GCM_SHA384"]],
  },
  "a client certificate": { url: MTLS_URL, tls: { ...trusting, ...identity } },
};
