import { readFileSync } from "node:fs";
import { TempDir, testCertificates } from "@mqb/testkit";
import { afterAll, describe, expect, it } from "vitest";
import { checkTls, readTls, type TlsConfig, tlsSchema } from "../src/index.ts";
import { systemAuthorities } from "../src/system-authorities.ts";

const pem = testCertificates();
const folder = await TempDir.make();
const junk = await folder.write("junk.pem", "not a certificate");
afterAll(() => folder[Symbol.asyncDispose]());

const identity = { cert_file: pem.client.cert, key_file: pem.client.key };

describe("the files of a block", () => {
  it("are not read where TLS is not required", async () => {
    expect(await read({ ca_file: "/nowhere" })).toBeUndefined();
    expect(await read({ required: null, ca_file: "/nowhere" })).toBeUndefined();
  });

  it.each<[string, TlsConfig, string, string]>([
    ["a missing file", { ca_file: "nowhere.pem" }, "MQB_TLS_FILE", "output.x.tls.ca_file names nowhere.pem"],
    ["a folder", { ca_file: folder.path }, "MQB_TLS_FILE", "EISDIR"],
    ["no certificate", { ca_file: junk }, "MQB_TLS_NOT_PEM", "junk.pem"],
    ["a key for a certificate", { ...identity, cert_file: pem.client.key }, "MQB_TLS_NOT_PEM", "cert_file"],
    ["a certificate for a key", { ...identity, key_file: pem.client.cert }, "MQB_TLS_NOT_PEM", "private key"],
    ["another's key", { ...identity, key_file: pem.server.key }, "MQB_TLS_KEY_MISMATCH", pem.client.cert],
    ["no password", { ...identity, key_file: pem.encryptedKey }, "MQB_TLS_KEY_PASSWORD", "no cert_password is set"],
    [
      "a wrong password",
      { ...identity, key_file: pem.encryptedKey, cert_password: "hunter2-wrong" },
      "MQB_TLS_KEY_PASSWORD",
      "does not open",
    ],
    ["a key alone", { key_file: pem.client.key }, "MQB_TLS_IDENTITY", "needs cert_file"],
  ])("are refused: %s", async (_what, tls, code, text) => {
    const error = await read({ required: true, ...tls }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, kind: "config", message: expect.stringContaining(text) });
    expect(String(error)).not.toContain("hunter2-wrong");
  });

  it("are found from the folder of the configuration", async () => {
    await folder.write("empty.pem", "");
    const error = await readTls(
      { required: true, ca_file: "empty.pem" },
      { baseDir: folder.path, path: "tls", role: "client" },
    ).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "MQB_TLS_NOT_PEM" });
  });

  it("of the system are SSL_CERT_FILE and NODE_EXTRA_CA_CERTS, where they are set", async () => {
    const [ca, extra] = [pem.ca, pem.otherCa].map((file) => readFileSync(file, "latin1"));
    expect(await systemAuthorities({ SSL_CERT_FILE: pem.ca })).toEqual([ca]);
    expect(await systemAuthorities({ SSL_CERT_FILE: pem.ca, NODE_EXTRA_CA_CERTS: pem.otherCa })).toEqual([ca, extra]);
    expect(await systemAuthorities({ SSL_CERT_FILE: pem.ca, NODE_EXTRA_CA_CERTS: pem.ca })).toEqual([ca]);
  });
});

describe("the check", () => {
  it("asks for both halves of an identity", () => {
    expect(checkTls({ key_file: "k" }, ["tls"], "client")).toMatchObject([
      { level: "error", path: ["tls", "key_file"] },
    ]);
    expect(checkTls({ cert_file: "c" }, ["tls"], "client")).toMatchObject([{ path: ["tls", "cert_file"] }]);
    expect(checkTls({ required: true }, ["tls"], "client")).toEqual([]);
    expect(checkTls(undefined, ["tls"], "listener")).toEqual([]);
  });

  it("asks a listener for its identity", () => {
    expect(checkTls({ required: true }, ["tls"], "listener")).toMatchObject([{ path: ["tls", "required"] }]);
    expect(checkTls({ required: true, ...identity }, ["tls"], "listener")).toEqual([]);
  });

  it("takes null for left out, and no unknown field", () => {
    expect(tlsSchema.safeParse({ required: null, ca_file: null }).success).toBe(true);
    expect(tlsSchema.safeParse({ requierd: true }).success).toBe(false);
  });
});

function read(tls: TlsConfig) {
  return readTls(tls, { baseDir: folder.path, path: "output.x.tls", role: "client" });
}
