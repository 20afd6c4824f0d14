import { testCertificates } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { NatsOptions } from "../src/schema.ts";
import { Ends } from "./ends.ts";
import { hasBinary, PrivateServer } from "./private-server.ts";

const pem = testCertificates();

/** Opens an output on a server with this TLS block. */
async function connects(server: string, config: Partial<NatsOptions>, scheme = "tls"): Promise<string[]> {
  await using started = await PrivateServer.start(server);
  await using ends = new Ends();
  const url = `${scheme}://localhost:${started.port}`;
  await ends.output({ url, subject: "a", no_jetstream: true, ...config });
  return ends.context.log.entries.map(({ message }) => message);
}

const tls = ({ cert, key }: { cert: string; key: string }, more = ""): string =>
  `tls { cert_file: "${cert}", key_file: "${key}"${more} }`;

describe.skipIf(!hasBinary)("TLS", () => {
  it.each<[string, string, Partial<NatsOptions>, string?]>([
    ["an authority alone", tls(pem.server), { tls: { ca_file: pem.ca } }],
    ["tls.required with nats://", tls(pem.server), { tls: { required: true, ca_file: pem.ca } }, "nats"],
    ["any certificate, where that is asked for", tls(pem.expired), { tls: { accept_invalid_certs: true } }],
    [
      "a certificate of our own with an encrypted key",
      tls(pem.server, `, ca_file: "${pem.ca}", verify: true`),
      {
        tls: {
          ca_file: pem.ca,
          cert_file: pem.client.cert,
          key_file: pem.encryptedKey,
          cert_password: pem.keyPassword,
        },
      },
    ],
  ])("connects with %s", async (_, server, config, scheme) => {
    await connects(server, config, scheme);
  });

  it.each<[string, string, Partial<NatsOptions>, string, string]>([
    ["no authority for it", tls(pem.server), {}, "MQB_TLS_UNTRUSTED", "localhost"],
    ["another authority", tls(pem.server), { tls: { ca_file: pem.otherCa } }, "MQB_TLS_UNTRUSTED", pem.otherCa],
    ["another name", tls(pem.otherName), { tls: { ca_file: pem.ca } }, "MQB_TLS_WRONG_NAME", "localhost"],
    [
      "a certificate out of its time",
      tls(pem.expired),
      { tls: { ca_file: pem.ca } },
      "MQB_TLS_NOT_VALID_NOW",
      "localhost",
    ],
    ["a file that is not there", tls(pem.server), { tls: { ca_file: "/none.pem" } }, "MQB_TLS_FILE", "/none.pem"],
    ["a server without TLS", "", { tls: { ca_file: pem.ca } }, "MQB_NATS_NO_TLS", "localhost"],
  ])("ends the start with %s", async (_, server, config, code, named) => {
    await expect(connects(server, config)).rejects.toMatchObject({
      code,
      kind: "config",
      message: expect.stringContaining(named),
    });
  });

  it("takes an address that the certificate holds for the name", async () => {
    await using started = await PrivateServer.start(tls(pem.server));
    await using ends = new Ends();
    const url = `tls://127.0.0.1:${started.port}`;
    await ends.output({ url, subject: "a", no_jetstream: true, tls: { ca_file: pem.ca } });
  });

  it("ends the start when the server wants a certificate of ours", async () => {
    const verifying = tls(pem.server, `, ca_file: "${pem.ca}", verify: true`);
    for (let n = 0; n < 5; n++) {
      await expect(connects(verifying, { tls: { ca_file: pem.ca } })).rejects.toMatchObject({
        code: "MQB_TLS_REFUSED",
        kind: "config",
        hint: expect.stringContaining("cert_file"),
      });
    }
  });
});
