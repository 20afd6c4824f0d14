export const LEVELS = ["debug", "info", "warn", "error", "off"] as const;
export type Level = (typeof LEVELS)[number];

/** What is logged: from a level on, and from another one on for some modules. */
export interface LogFilter {
  readonly level: Level;
  /** By module: the key of an endpoint or a middleware. */
  readonly modules: ReadonlyMap<string, Level>;
}

const NAMES: Readonly<Record<string, Level>> = {
  trace: "debug",
  debug: "debug",
  info: "info",
  warn: "warn",
  warning: "warn",
  error: "error",
  off: "off",
};
/** Names of the whole of mqb, as configurations of mq-bridge write them. */
const WHOLE = ["mqb", "mq_bridge", "mq_bridge_app"];

/**
 * The filter that a setting asks for: a level, or a list such as `info,kafka=debug`. A module may be written as a path
 * (`mq_bridge::endpoints::kafka`), of which the last part counts. Without a level of its own, the list leaves `info` for
 * everything else. Undefined when a level in it is none, or when it is empty.
 */
export function parseFilter(text: string): LogFilter | undefined {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  let level: Level | undefined;
  let whole: Level | undefined;
  const modules = new Map<string, Level>();
  for (const part of parts) {
    const equals = part.lastIndexOf("=");
    const wanted =
      NAMES[
        part
          .slice(equals + 1)
          .trim()
          .toLowerCase()
      ];
    if (wanted === undefined) return undefined;
    const module = equals < 0 ? "" : moduleName(part.slice(0, equals));
    if (equals < 0) level = wanted;
    else if (WHOLE.includes(module)) whole = wanted;
    else modules.set(module, wanted);
  }
  return parts.length === 0 ? undefined : { level: whole ?? level ?? "info", modules };
}

/** The level for a module; without a name, for what belongs to none. */
export function levelOf(filter: LogFilter, module?: string): Level {
  return (module === undefined ? undefined : filter.modules.get(moduleName(module))) ?? filter.level;
}

/** `mq_bridge::endpoints::dir-spool` -> `dir_spool` */
function moduleName(written: string): string {
  return written.trim().split("::").at(-1)!.replaceAll("-", "_").toLowerCase();
}
