import { resolve } from "node:path";
import { inLayout, isDatabase, tableOfRoute } from "@mqb/standard";
import type { DeduplicationSettings } from "./config.ts";
import { errors } from "./errors.ts";

/** Where keys are kept, as the configuration says. */
export type Place =
  | { readonly kind: "memory"; readonly name: string; readonly maxKeys: number | undefined }
  | { readonly kind: "folder"; readonly path: string; readonly durable: boolean }
  /** A state store that other processes use as well. */
  | { readonly kind: "shared"; readonly url: string };

/** Stores that are still to come, and the packages that they belong to. */
const TO_COME: Readonly<Record<string, string>> = { mongodb: "@mqb/mongodb", "mongodb+srv": "@mqb/mongodb" };

/** Of a database: the package that brings it, and what that brings besides. */
const DATABASES: Readonly<Record<string, readonly [brings: string, service: string]>> = {
  postgres: ["@mqb/postgres", "sql:postgres"],
  postgresql: ["@mqb/postgres", "sql:postgres"],
  mysql: ["@mqb/mysql", "sql:mysql"],
  mariadb: ["@mqb/mysql", "sql:mysql"],
  sqlite: ["@mqb/sqlite", "sql:sqlite"],
};

/** Throws a `config` error for a store in a database that nothing that is installed talks to. */
export function checkInstalled({ store }: DeduplicationSettings, has: (service: string) => boolean): void {
  const scheme = schemeOf(store ?? "");
  const known = scheme !== undefined && Object.hasOwn(DATABASES, scheme) ? DATABASES[scheme] : undefined;
  if (!known || has(known[1])) return;
  throw errors.STORE_NOT_INSTALLED({ scheme: scheme!, brings: known[0] });
}

function schemeOf(url: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]?.toLowerCase();
}

/** Takes `store` or `sled_path` apart; throws a `config` error for what cannot be meant. */
export function placeOf({ store, sled_path: sledPath }: DeduplicationSettings, route: string, baseDir: string): Place {
  if (store != null && sledPath != null) throw errors.TWO_STORES({});
  if (sledPath != null) return { kind: "folder", path: resolve(baseDir, sledPath), durable: false };
  if (store == null) throw errors.NO_STORE({});
  if (isDatabase(store)) return { kind: "shared", url: inLayout(store, "dedup", tableOfRoute("mqb_dedup", route)) };
  const scheme = schemeOf(store);
  switch (scheme) {
    case "memory":
      return memory(store, route);
    case undefined:
    case "file":
    case "sled":
      return folder(store, scheme, baseDir);
    default:
      throw errors.STORE_SCHEME({ scheme, brings: TO_COME[scheme] });
  }
}

function memory(url: string, route: string): Place {
  const { body, params } = parse(url, ["max_keys"]);
  const given = params.get("max_keys");
  if (given !== undefined && !/^[1-9][0-9]{0,9}$/.test(given)) {
    throw errors.STORE_URL({ url, reason: `max_keys is "${given}", not an integer of at least 1` });
  }
  const name = body.replace(/^\/\//, "");
  return { kind: "memory", name: name === "" ? route : name, maxKeys: given === undefined ? undefined : Number(given) };
}

function folder(url: string, scheme: string | undefined, baseDir: string): Place {
  const { body, params } = parse(url, ["durable"]);
  const durable = params.get("durable") ?? "false";
  if (durable !== "true" && durable !== "false") {
    throw errors.STORE_URL({ url, reason: `durable is "${durable}", not true or false` });
  }
  const host = scheme === "file" ? /^\/\/([^/]+)/.exec(body)?.[1] : undefined;
  if (host !== undefined && host !== "localhost") {
    throw errors.STORE_URL({ url, reason: `"${host}" would be a host; write file:///… with an absolute path` });
  }
  const path = body.replace(host === undefined ? /^\/\// : /^\/\/localhost/, "");
  if (path === "") throw errors.STORE_URL({ url, reason: "it names no folder" });
  return {
    kind: "folder",
    path: resolve(baseDir, scheme === undefined ? path : decode(path)),
    durable: durable === "true",
  };
}

function parse(url: string, known: readonly string[]): { body: string; params: ReadonlyMap<string, string> } {
  const at = url.indexOf("?");
  const head = at < 0 ? url : url.slice(0, at);
  const params = new Map(new URLSearchParams(at < 0 ? "" : url.slice(at + 1)));
  for (const name of params.keys()) {
    if (known.includes(name)) continue;
    throw errors.STORE_URL({ url, reason: `unknown parameter "${name}"; it takes: ${known.join(", ")}` });
  }
  return { body: head.replace(/^[a-z][a-z0-9+.-]+:/i, ""), params };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A % that encodes nothing is part of the name.
    return text;
  }
}

/** The folder on disk that a checked configuration keeps its keys in; undefined when it keeps them elsewhere. */
export function folderOf(settings: DeduplicationSettings, route: string, baseDir: string): string | undefined {
  const place = placeOf(settings, route, baseDir);
  return place.kind === "folder" ? place.path : undefined;
}
