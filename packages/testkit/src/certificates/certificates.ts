import { fileURLToPath } from "node:url";

/** PEM files of a test authority and of what it has signed. The keys are published: they protect nothing. */
export interface TestCertificates {
  readonly ca: string;
  /** Has signed none of the others. */
  readonly otherCa: string;
  /** For localhost, 127.0.0.1 and ::1. */
  readonly server: Identity;
  /** For a name that is not localhost. */
  readonly otherName: Identity;
  /** For localhost, out of its time. */
  readonly expired: Identity;
  readonly client: Identity;
  /** The key of `client`, encrypted with `keyPassword`. */
  readonly encryptedKey: string;
  readonly keyPassword: string;
}

interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** The files come with this package and are the same for everybody. */
export function testCertificates(): TestCertificates {
  return {
    ca: file("ca.pem"),
    otherCa: file("other-ca.pem"),
    server: identity("server"),
    otherName: identity("other-name"),
    expired: identity("expired"),
    client: identity("client"),
    encryptedKey: file("client-encrypted.key"),
    keyPassword: "test-password",
  };
}

function identity(name: string): Identity {
  return { cert: file(`${name}.pem`), key: file(`${name}.key`) };
}

function file(name: string): string {
  return fileURLToPath(new URL(`../../pem/${name}`, import.meta.url));
}
