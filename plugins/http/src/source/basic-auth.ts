import { createHash, timingSafeEqual } from "node:crypto";

/** `malformed` = it is no credential of this kind at all. */
export type Verdict = "right" | "wrong" | "malformed";

export type BasicAuth = (header: string | undefined) => Verdict;

export const CHALLENGE = 'Basic realm="mqb", charset="UTF-8"';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Compares credentials in a time that says nothing about how much of them is right. */
export function basicAuth([user, password]: readonly [string, string]): BasicAuth {
  const expected = digest(Buffer.from(`${user}:${password}`));
  return (header) => {
    const match = header === undefined ? undefined : /^basic +(.*)$/i.exec(header);
    if (!match) return "wrong";
    const text = match[1]!.trim();
    if (!BASE64.test(text)) return "malformed";
    const given = Buffer.from(text, "base64");
    if (!given.includes(58)) return "malformed";
    return timingSafeEqual(digest(given), expected) ? "right" : "wrong";
  };
}

function digest(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
