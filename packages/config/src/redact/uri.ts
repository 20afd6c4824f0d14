import { paramsIn, replaceParams } from "./params.ts";
import { isSecretName } from "./secret-names.ts";
import { userInfos } from "./user-info.ts";
import type { Range } from "./user-passwords.ts";

const HIDDEN = "***";
/** A pair of a connection string: `Server=x;Password=a b`. Behind a semicolon the value goes on to the next one. */
const PAIR = /(^|[\s"])([\w.:-]{1,64})=([^;"\s&|?]*)|;([^;=\n"]{1,64})=([^;"\n]*)/g;

/**
 * A URI, or a text with URIs in it, fit to be shown: passwords of the user info and values of parameters that hold
 * secrets become `***`, also in URIs nested in parameters. Rather hides too much than too little: a password may hold
 * any character, also `/`, `?`, `#` and `@` that are not encoded.
 */
export function redactUri(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, user, end } of userInfos(text)) {
    parts.push(text.slice(at, start), user === undefined ? HIDDEN : `${user}:${HIDDEN}`);
    at = end;
  }
  parts.push(text.slice(at));
  return redactParams(parts.join(""));
}

/** The passwords, and the tokens without a user, in the user info of the URLs in a text. */
export function passwordsIn(text: string): string[] {
  return userInfos(text).map(({ password }) => password);
}

/** The values of parameters that hold secrets, as offsets in a URL. */
export function secretParams(url: string): (Range & { readonly name: string })[] {
  return [...paramsIn(url)].flatMap(({ name, value, to }) =>
    value !== "" && isSecretParam(decoded(name)) ? [{ name: decoded(name), from: to - value.length, to }] : [],
  );
}

function redactParams(text: string): string {
  const shown = redactPairs(text).replace(/\|encryption\?[^|]*/gi, (part) =>
    replaceParams(part, ({ name }) => (/^(?:key|decrypt_keys)$/i.test(name) ? HIDDEN : undefined)),
  );
  return replaceParams(shown, ({ name, value }) => {
    if (isSecretParam(decoded(name))) return HIDDEN;
    const inner = decoded(value);
    const safe = /^\s*[{[]/.test(inner) ? redactJson(inner, name) : redactNested(inner, value);
    return safe === inner ? undefined : safe;
  });
}

function redactPairs(text: string): string {
  return text.replace(PAIR, (written: string, mark?: string, first?: string, value = "", next?: string, rest = "") => {
    const name = (first ?? next)!;
    const own = name.slice(name.lastIndexOf(":") + 1).trim();
    if ((value === "" && rest === "") || !isSecretName(own.replaceAll(" ", "_"))) return written;
    return first === undefined ? `;${name}=${HIDDEN}` : `${mark}${name}=${HIDDEN}`;
  });
}

/** A dotted name reaches into an object: `encryption.key`, `custom_headers.x-api-key`. */
function isSecretParam(name: string): boolean {
  return name.split(".").some(isSecretName) || /\.key$/.test(name);
}

function redactNested(inner: string, value: string): string {
  // What is not encoded was looked at as a part of the whole.
  if (inner === value || !/^[a-z][a-z0-9+._-]*:/i.test(inner)) return inner;
  const shown = redactUri(inner);
  return shown === inner ? inner : shown.replace(/[%&#|?]/g, (one) => encodeURIComponent(one));
}

/** Hides members with secret names, at any depth of a JSON literal. What cannot be parsed is hidden as a whole. */
function redactJson(text: string, owner: string): string {
  try {
    let hid = false;
    const hide = (shown: string): string => {
      hid = true;
      return shown;
    };
    const json = JSON.stringify(JSON.parse(text), (key, member: unknown) => {
      const secret = isSecretName(key) || (owner === "encryption" && (key === "key" || key === "decrypt_keys"));
      if (secret && member !== null) return hide(HIDDEN);
      if (typeof member !== "string") return member;
      const shown = redactUri(member);
      return shown === member ? member : hide(shown);
    });
    return hid ? json : text;
  } catch {
    return HIDDEN;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
