import { isSecretName } from "./secret-names.ts";

const HIDDEN = "***";
/** A longer scheme is none; without a limit a long word would be tried from each of its letters to its end. */
const URL_START = /([a-z][a-z0-9+._-]{0,31}:\/\/)([^\s"|]*)/gi;
/** A parameter, in whose value a JSON literal may hold spaces. */
const PARAM = /([?&|])([^=&?|\s]+)=([{[][^&|]*|[^&|\s"]*)/g;
/** Where a user alone is a name. Elsewhere it may be a token, as for `nats:` and for `https:` to a git host. */
const USER_ALONE =
  /^(?:postgres(?:ql)?(?:-cdc)?|pgcdc|mysql|mariadb|mongodb(?:\+srv)?|rediss?|redis_streams|amqps?|rabbitmqs?|clickhouses?|sftp|ssh|abfss?):/i;
const NESTED = /[?&][\w.-]+=[a-z][a-z0-9+._-]*:/i;

/**
 * A URI, or a text with URIs in it, fit to be shown: passwords of the user info and values of parameters that hold
 * secrets become `***`, also in URIs nested in parameters. Rather hides too much than too little: a password may hold
 * any character, also `/`, `?`, `#` and `@` that are not encoded.
 */
export function redactUri(text: string): string {
  return redactParams(
    text.replace(URL_START, (written, scheme: string, rest: string) => {
      const info = userInfoOf(scheme, rest);
      if (!info) return written;
      const shown = info.user === undefined ? HIDDEN : `${info.user}:${HIDDEN}`;
      return `${scheme}${shown}${redactUri(rest.slice(info.end))}`;
    }),
  );
}

/** The passwords, and the tokens without a user, in the user info of the URLs in a text. */
export function passwordsIn(text: string): string[] {
  return [...text.matchAll(URL_START)].flatMap(([, scheme, rest]) => userInfoOf(scheme!, rest!)?.password ?? []);
}

/**
 * Takes `user:password@` off what follows a `scheme://`; undefined when there is none. Without a password, what stands there
 * is a token, unless the scheme is one whose servers know users without passwords.
 */
function userInfoOf(scheme: string, rest: string): { user?: string; password: string; end: number } | undefined {
  const nested = rest.search(NESTED);
  const own = nested < 0 ? rest : rest.slice(0, nested);
  const end = own.lastIndexOf("@");
  const user = /^[^:@/?#]*(?=:)/.exec(own)?.[0];
  if (user === undefined) {
    const token = /^[^:@/?#]+(?=@)/.exec(own)?.[0];
    return token === undefined || USER_ALONE.test(scheme) ? undefined : { password: token, end: token.length };
  }
  if (end < user.length) return undefined;
  // `host:8080/path?mail=a@b` is a host with a port.
  if (/^[^:@/?#]*:\d{1,5}[/?][^@]*[?&][\w.-]+=[^&]*@/.test(own)) return undefined;
  return { user, password: own.slice(user.length + 1, end), end };
}

function redactParams(text: string): string {
  return text
    .replace(/\|encryption\?[^|]*/gi, (part) => part.replace(/([?&](?:key|decrypt_keys)=)[^&]*/gi, `$1${HIDDEN}`))
    .replace(PARAM, (written, mark: string, name: string, value: string) => {
      if (isSecretParam(decoded(name))) return `${mark}${name}=${HIDDEN}`;
      const inner = decoded(value);
      const shown = /^\s*[{[]/.test(inner) ? redactJson(inner, name) : redactNested(inner, value);
      return shown === inner ? written : `${mark}${name}=${shown}`;
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
