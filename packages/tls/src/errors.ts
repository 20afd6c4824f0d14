import { defineErrors, errorRow } from "@mqb/core/plugin";

interface OfFile {
  /** Where it is written: `input.http.tls.key_file`. */
  readonly field: string;
  readonly file: string;
}

interface OfPeer {
  /** Host and port, without credentials. */
  readonly target: string;
  readonly reason: string;
}

/** Every error of this package. None shows a key or a password. */
export const errors = defineErrors("MQB_TLS", {
  FILE: errorRow<OfFile & { reason: string }>({
    kind: "config",
    message: (p) => `${p.field} names ${p.file}, which cannot be read: ${p.reason}`,
    hint: "a relative path begins at the folder of the configuration file",
  }),
  NOT_PEM: errorRow<OfFile & { what: string }>({
    kind: "config",
    message: (p) => `${p.field} names ${p.file}, which holds no ${p.what} in PEM`,
    hint: "a PEM block begins with -----BEGIN; openssl converts other forms",
  }),
  KEY_PASSWORD: errorRow<OfFile & { given: boolean }>({
    kind: "config",
    message: (p) =>
      p.given
        ? `${p.field} names ${p.file}, which cert_password does not open`
        : `${p.field} names ${p.file}, which is encrypted, and no cert_password is set`,
    hint: "set cert_password beside it to the password of the key",
  }),
  KEY_MISMATCH: errorRow<OfFile & { certificate: string }>({
    kind: "config",
    message: (p) => `${p.field} names ${p.file}, which is not the key of the certificate in ${p.certificate}`,
  }),
  IDENTITY: errorRow<{ field: string; missing: string }>({
    kind: "config",
    message: (p) => `${p.field} needs ${p.missing} beside it`,
  }),
  UNTRUSTED: errorRow<OfPeer & { ca: string | undefined }>({
    kind: "config",
    message: (p) =>
      `the certificate of ${p.target} is not trusted${p.ca === undefined ? "" : ` by the authorities in ${p.ca}`}: ${p.reason}`,
    hint: "set tls.ca_file to the authority that the certificate comes from",
  }),
  WRONG_NAME: errorRow<OfPeer>({
    kind: "config",
    message: (p) => `the certificate of ${p.target} is for another name: ${p.reason}`,
    hint: "connect by a name that the certificate holds",
  }),
  NOT_VALID_NOW: errorRow<OfPeer>({
    kind: "config",
    message: (p) => `the certificate of ${p.target} is not valid now: ${p.reason}`,
    hint: "renew it, or set the clock of this machine",
  }),
  REFUSED: errorRow<OfPeer & { sent: boolean }>({
    kind: "config",
    message: (p) =>
      `${p.target} refused the handshake${p.sent ? " with the certificate in tls.cert_file" : ""}: ${p.reason}`,
    hint: (p) =>
      p.sent ? undefined : "a server that asks for a client certificate needs tls.cert_file and tls.key_file",
  }),
  NOT_TLS: errorRow<OfPeer>({
    kind: "config",
    message: (p) => `${p.target} does not speak TLS on this port: ${p.reason}`,
    hint: "use the server's TLS port, or leave tls.required out",
  }),
});
