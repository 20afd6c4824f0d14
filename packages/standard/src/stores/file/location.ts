import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { errors } from "../../errors.ts";
import { parseStateUrl } from "../state-url.ts";

/**
 * The path that a `file:` URL or a bare path means; a relative one is relative to `baseDir`. Throws a `config` error for a
 * URL that names no file of this system.
 */
export function locate(url: string, baseDir: string): string {
  if (!/^file:/i.test(url)) return resolve(baseDir, url);
  const { body } = parseStateUrl(url, []);
  const refuse = (reason: string) => errors.STORE_URL({ url, reason });
  if (body === "" || body.endsWith("/")) throw refuse("it names no file");
  if (body.startsWith("//")) {
    const host = /^\/\/([^/]*)/.exec(body)![1]!;
    if (host !== "" && host !== "localhost") {
      throw refuse(`"${host}" would be a host; write file:${body.slice(2)} or file:///… with an absolute path`);
    }
    try {
      return fileURLToPath(`file:${body}`);
    } catch (cause) {
      throw errors.STORE_URL({ url, reason: "it is no path of this system" }, { cause });
    }
  }
  return resolve(baseDir, decode(body));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A % that encodes nothing is part of the name.
    return text;
  }
}
