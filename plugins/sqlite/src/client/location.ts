import { resolve } from "node:path";

/** What a URL of SQLite says. */
export interface Location {
  /** As written, without the parameters; `:memory:` for one that lives in memory. */
  readonly path: string;
  readonly mode: "ro" | "rw" | "rwc" | "memory" | undefined;
}

const MODES = ["ro", "rw", "rwc", "memory"] as const;

/** Reads `sqlite:path`, `sqlite://path`, `sqlite::memory:`; gives words instead when something is wrong with it. */
export function readLocation(url: string): Location | string {
  const [, rest = ""] = /^sqlite:(?:\/\/)?(.*)$/is.exec(url) ?? [];
  const query = rest.indexOf("?");
  const params = new URLSearchParams(query < 0 ? "" : rest.slice(query + 1));
  let mode: Location["mode"];
  for (const [name, value] of params) {
    if (name !== "mode") return `SQLite has no parameter "${name}" here; there is mode`;
    mode = MODES.find((one) => one === value);
    if (mode === undefined) return `mode is "${value}"; there are ${MODES.join(", ")}`;
  }
  const path = decoded(query < 0 ? rest : rest.slice(0, query));
  if (mode === "memory" || path === ":memory:") return { path: ":memory:", mode: "memory" };
  if (path === "") return "it names no file";
  if (path.includes("\u0000")) return "its path holds a NUL character";
  return { path, mode };
}

/** Absolute; relative ones begin at the folder of the configuration. */
export function absolute({ path }: Location, baseDir: string): string {
  return path === ":memory:" ? path : resolve(baseDir, path);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
