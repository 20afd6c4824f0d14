import type { PeerCertificate } from "node:tls";
import { describe, expect, it } from "vitest";
import { identityOf } from "../src/client/server-identity.ts";

const certificate = (names: string) => ({ subject: { CN: "x" }, subjectaltname: names }) as unknown as PeerCertificate;

describe("the name that a certificate must hold", () => {
  it.each<[string[], string, string, boolean]>([
    [["n1:4222"], "n1", "DNS:n1", true],
    [["n1:4222"], "n1", "DNS:n2", false],
    [["localhost:4222"], "localhost", "DNS:localhost", true],
    [["localhost:4222"], "localhost", "IP Address:10.0.0.5", false],
    [["10.0.0.5:4222"], "localhost", "IP Address:10.0.0.5", true],
    [["10.0.0.5:4222"], "localhost", "DNS:localhost", false],
    [["[::1]:4222", "localhost:4222"], "localhost", "DNS:localhost", true],
    [["10.0.0.5:4222", "10.0.0.6:4222"], "localhost", "IP Address:10.0.0.6", true],
  ])("of %j, told as %s, with %s: %s", (list, name, names, isTaken) => {
    expect(identityOf(list)(name, certificate(names)) === undefined).toBe(isTaken);
  });
});
