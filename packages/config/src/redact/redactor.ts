import { isSecretName } from "./secret-names.ts";
import { secretText } from "./secret-text.ts";
import { passwordsIn, redactUri } from "./uri.ts";
import { oddPasswords } from "./user-passwords.ts";

/** Keeps secrets out of everything that a process prints. One per process; text goes through it just before it is written. */
export interface Redactor {
  /** Remembers a value that must not be shown. Shorter ones than four characters are not remembered. */
  add(secret: string): void;
  /** Remembers the secrets of a configuration: members with secret names, also numbers, and passwords of URLs, at any depth. */
  learn(value: unknown): void;
  /** Like `add` for each of them, found out only when a text has to be written: that may never happen. */
  addLater(secrets: () => readonly string[]): void;
  text(text: string): string;
  /** A copy of a JSON value with every text in it, and every name of a member, as `text` gives it; a number that is a secret
   * becomes a text. For what is put together of several texts: what one of them holds hides nothing of the next, and quotes
   * stay what they are. */
  json<T>(value: T): T;
}

const SHORTEST = 4;
/** A text in its place is most likely the key that belongs into it. */
const KEY_MAP = "encryption";

export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  let later: (() => readonly string[])[] = [];
  let ordered: readonly string[] | undefined = [];
  const add = (secret: string): void => {
    for (const form of formsOf(secret)) {
      if (form.length < SHORTEST || secrets.has(form)) continue;
      secrets.add(form);
      ordered = undefined;
    }
  };
  const learn = (value: unknown, name = ""): void => {
    if (typeof value !== "object") {
      const secret = isSecretName(name) || name === KEY_MAP ? secretText(value, name) : undefined;
      if (secret !== undefined) add(secret);
      if (typeof value !== "string" || !value.includes("://")) return;
      for (const password of passwordsIn(value)) {
        add(password);
        // A short one alone stands in too many words.
        if (password.length < SHORTEST) add(`:${password}@`);
      }
      for (const { from, to } of oddPasswords(value)) add(value.slice(from, to));
    } else if (value !== null) {
      const secret = isSecretName(name) ? name : undefined;
      for (const [key, member] of Object.entries(value)) learn(member, secret ?? key);
    }
  };
  const complete = (): void => {
    const due = later;
    later = [];
    for (const secret of due.flatMap((one) => one())) add(secret);
  };
  const text = (text: string): string => {
    complete();
    // The longest first: one secret may be a part of another.
    ordered ??= [...secrets].sort((a, b) => b.length - a.length);
    let shown = text;
    for (const secret of ordered) if (shown.includes(secret)) shown = shown.replaceAll(secret, "***");
    return redactUri(shown);
  };
  const json = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (typeof value === "number" || typeof value === "bigint") {
      complete();
      return secrets.has(String(value)) ? "***" : value;
    }
    if (Array.isArray(value)) return value.map(json);
    if (typeof value !== "object" || value === null) return value;
    const shown: [string, unknown][] = [];
    const names = new Set<string>();
    for (const [key, member] of Object.entries(value)) {
      let name = text(key);
      // Two hidden names are two members all the same.
      while (names.has(name)) name += "*";
      names.add(name);
      shown.push([name, json(member)]);
    }
    return Object.fromEntries(shown);
  };
  return {
    add,
    // A configuration takes its time, and nothing may have to be written.
    learn: (value) =>
      void later.push(() => {
        learn(value);
        return [];
      }),
    addLater: (secrets) => void later.push(secrets),
    text,
    json: <T>(value: T) => json(value) as T,
  };
}

/** A secret as it may stand in a text: as it is, in a URI, or quoted as JavaScript and JSON quote it. */
function formsOf(secret: string): string[] {
  const plain = [secret, safely(decodeURIComponent, secret)];
  const quoted = plain.flatMap((text) => {
    const escaped = JSON.stringify(text).slice(1, -1);
    return [escaped, escaped.replaceAll('\\"', '"'), escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")];
  });
  const encoded = safely(encodeURIComponent, secret);
  return [...plain, ...quoted, encoded, encoded.replace(/%../g, (code) => code.toLowerCase())];
}

/** What is no text for a URI, such as half a surrogate pair, stays as it is. */
function safely(change: (text: string) => string, text: string): string {
  try {
    return change(text);
  } catch {
    return text;
  }
}
