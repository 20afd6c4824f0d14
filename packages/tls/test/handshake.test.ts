import { once } from "node:events";
import { type AddressInfo, createServer as createPlainServer, type Server } from "node:net";
import { connect, createServer } from "node:tls";
import { codeOf } from "@mqb/core/plugin";
import { testCertificates } from "@mqb/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { readTls, type TlsConfig, tlsFailure } from "../src/index.ts";

const pem = testCertificates();
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe("a client", () => {
  it("connects to a server of the authority in ca_file, without a certificate of its own", async () => {
    const port = await listen(pem.server);
    expect(await handshake(port, { ca_file: pem.ca })).toBe("connected");
  });

  it("refuses an unknown authority, and names its own ca_file", async () => {
    const port = await listen(pem.server);
    expect(await handshake(port, {})).toMatchObject({ code: "MQB_TLS_UNTRUSTED", kind: "config" });
    const wrong = await handshake(port, { ca_file: pem.otherCa });
    expect(wrong).toMatchObject({ code: "MQB_TLS_UNTRUSTED", message: expect.stringContaining(pem.otherCa) });
  });

  it("refuses a certificate for another name", async () => {
    const port = await listen(pem.otherName);
    expect(await handshake(port, { ca_file: pem.ca })).toMatchObject({
      code: "MQB_TLS_WRONG_NAME",
      message: expect.stringContaining("elsewhere.example"),
    });
  });

  it("refuses a certificate out of its time", async () => {
    const port = await listen(pem.expired);
    expect(await handshake(port, { ca_file: pem.ca })).toMatchObject({ code: "MQB_TLS_NOT_VALID_NOW" });
  });

  it("takes any certificate where it is told to", async () => {
    const port = await listen(pem.expired);
    expect(await handshake(port, { accept_invalid_certs: true })).toBe("connected");
  });

  it("shows its certificate, whose key may be encrypted", async () => {
    const port = await listen(pem.server, pem.ca);
    const identity = { cert_file: pem.client.cert, key_file: pem.encryptedKey, cert_password: pem.keyPassword };
    expect(await handshake(port, { ca_file: pem.ca, ...identity })).toBe("connected");
  });

  it("is told that the server asks for a certificate", async () => {
    const port = await listen(pem.server, pem.ca);
    expect(await handshake(port, { ca_file: pem.ca })).toMatchObject({
      code: "MQB_TLS_REFUSED",
      hint: expect.stringContaining("tls.cert_file"),
    });
  });

  it("is told that the port does not speak TLS", async () => {
    const server = createPlainServer((socket) => socket.on("error", () => {}).end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    expect(await handshake(await portOf(server), { ca_file: pem.ca })).toMatchObject({ code: "MQB_TLS_NOT_TLS" });
  });

  it("understands the reason of OpenSSL in a failed write of the handshake", () => {
    const text =
      "write EPROTO 80CC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:ssl3_record.c:350:";
    const error = tlsFailure(Object.assign(new Error(text), { code: "EPROTO" }), "localhost:1");
    expect(error).toMatchObject({ code: "MQB_TLS_NOT_TLS", message: expect.stringMatching(/: wrong version number$/) });
    const broken = Object.assign(new Error("write EPROTO"), { code: "EPROTO" });
    expect(tlsFailure(broken, "localhost:1")).toBeUndefined();
  });

  it("takes a closed connection for a lost one, not for a wrong configuration", async () => {
    const port = await portOf(createPlainServer((socket) => socket.destroy()));
    expect(await handshake(port, { ca_file: pem.ca })).toBe("lost");
  });
});

async function listen(identity: { cert: string; key: string }, clientCa?: string): Promise<number> {
  const tls = {
    required: true,
    cert_file: identity.cert,
    key_file: identity.key,
    ...(clientCa && { ca_file: clientCa }),
  };
  const material = await readTls(tls, { baseDir: "/", path: "input.http.tls", role: "listener" });
  const server = createServer(material ?? {}, (socket) => socket.on("error", () => {}).write("hello"));
  return portOf(server.on("tlsClientError", () => {}));
}

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** The coded error of a connection, or that it was made: TLS 1.3 refuses a client's certificate behind the handshake. */
async function handshake(port: number, tls: TlsConfig): Promise<unknown> {
  const material = await readTls({ required: true, ...tls }, { baseDir: "/", path: "output.x.tls", role: "client" });
  const socket = connect({ port, host: "127.0.0.1", ...material });
  try {
    await once(socket, "data");
    return "connected";
  } catch (error) {
    const failure = tlsFailure(new Error("driver's own", { cause: error }), `127.0.0.1:${port}`, tls);
    expect(failure === undefined || codeOf(failure)?.startsWith("MQB_TLS_")).toBe(true);
    return failure ?? "lost";
  } finally {
    socket.destroy();
  }
}
