import { createHmac } from "node:crypto";

/** One way to sign a request: https://docs.github.com/webhooks, https://docs.stripe.com/webhooks, standardwebhooks.com. */
export interface Scheme {
  readonly header: string;
  /** The headers of a signed request. `seconds` = Unix time. */
  sign(body: Uint8Array, secret: string, id: string, seconds: number, header: string): [string, string][];
  /** What is signed, and the signatures that were given for it; undefined when a part of it is missing. */
  read(header: string, headerOf: (name: string) => string | undefined): Given | undefined;
}

export interface Given {
  /** Stands before the body in what is signed. */
  readonly prefix: string;
  /** When it was signed, in Unix seconds; undefined when that is not part of it. */
  readonly seconds: number | undefined;
  readonly signatures: readonly Buffer[];
  key(secret: string): Buffer;
}

const utf8 = (secret: string): Buffer => Buffer.from(secret, "utf8");

export function hmac(key: Buffer, prefix: string, body: Uint8Array): Buffer {
  return createHmac("sha256", key).update(prefix).update(body).digest();
}

const hex = (text: string): Buffer | undefined => (/^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, "hex") : undefined);

const github: Scheme = {
  header: "x-hub-signature-256",
  sign: (body, secret, _id, _seconds, header) => [[header, `sha256=${hmac(utf8(secret), "", body).toString("hex")}`]],
  read(header) {
    const signature = header.startsWith("sha256=") ? hex(header.slice(7)) : undefined;
    return signature && { prefix: "", seconds: undefined, signatures: [signature], key: utf8 };
  },
};

const stripe: Scheme = {
  header: "stripe-signature",
  sign(body, secret, _id, seconds, header) {
    const signature = hmac(utf8(secret), `${seconds}.`, body).toString("hex");
    return [[header, `t=${seconds},v1=${signature}`]];
  },
  read(header) {
    const parts = header.split(",").map((part) => part.trim().split("="));
    const time = parts.find(([name]) => name === "t")?.[1];
    const signatures = parts.flatMap(([name, value = ""]) => (name === "v1" ? (hex(value) ?? []) : []));
    if (time === undefined || !/^\d{1,12}$/.test(time)) return undefined;
    return { prefix: `${time}.`, seconds: Number(time), signatures, key: utf8 };
  },
};

/** The secrets of the standard are base64 behind `whsec_`; others are taken as they are. */
export function standardKey(secret: string): Buffer {
  return secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : utf8(secret);
}

const standard: Scheme = {
  header: "webhook-signature",
  sign(body, secret, id, seconds, header) {
    const signature = hmac(standardKey(secret), `${id}.${seconds}.`, body).toString("base64");
    return [
      ["webhook-id", id],
      ["webhook-timestamp", String(seconds)],
      [header, `v1,${signature}`],
    ];
  },
  read(header, headerOf) {
    const id = headerOf("webhook-id");
    const time = headerOf("webhook-timestamp");
    if (id === undefined || time === undefined || !/^\d{1,12}$/.test(time)) return undefined;
    const signatures = header.split(" ").flatMap((part) => (part.startsWith("v1,") ? base64(part.slice(3)) : []));
    return { prefix: `${id}.${time}.`, seconds: Number(time), signatures, key: standardKey };
  },
};

function base64(text: string): Buffer[] {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === 32 ? [bytes] : [];
}

export const SCHEMES = { github, stripe, standard } as const;
