import { timingSafeEqual } from "node:crypto";
import type { SignatureConfig } from "./schema.ts";
import { hmac, SCHEMES } from "./schemes.ts";

/** Why a request is not taken as signed; undefined when it is. `now` = Unix milliseconds. */
export type SignatureCheck = (
  body: Uint8Array,
  headerOf: (name: string) => string | undefined,
  now: number,
) => string | undefined;

const TOLERANCE_MS = 300_000;

/** Checks in a time that says nothing about how much of a signature is right. */
export function signatureCheck(config: SignatureConfig): SignatureCheck {
  const scheme = SCHEMES[config.scheme];
  const header = config.header?.toLowerCase() ?? scheme.header;
  const tolerance = config.tolerance_ms ?? TOLERANCE_MS;
  const secrets = secretsOf(config);
  return (body, headerOf, now) => {
    const value = headerOf(header);
    if (value === undefined) return "Missing signature";
    const given = scheme.read(value, headerOf);
    if (!given) return "Malformed signature";
    if (given.seconds !== undefined && Math.abs(now - given.seconds * 1000) > tolerance) return "Signature is too old";
    let matches = false;
    for (const secret of secrets) {
      const expected = hmac(given.key(secret), given.prefix, body);
      for (const signature of given.signatures) matches = timingSafeEqual(signature, expected) || matches;
    }
    return matches ? undefined : "Invalid signature";
  };
}

export type Signer = (body: Uint8Array, id: string, now: number) => [name: string, value: string][];

/** Signs with the first secret. */
export function signer(config: SignatureConfig): Signer {
  const scheme = SCHEMES[config.scheme];
  const header = config.header?.toLowerCase() ?? scheme.header;
  const [secret] = secretsOf(config);
  return (body, id, now) => scheme.sign(body, secret!, id, Math.floor(now / 1000), header);
}

function secretsOf({ secret }: SignatureConfig): readonly string[] {
  return typeof secret === "string" ? [secret] : secret;
}
