import { type CheckContext, type Finding, isMqbError, type MqbError, systemClock } from "@mqb/core/plugin";
import type { JsonPath } from "@mqb/json";
import type { LookupSettings } from "./config.ts";
import { errors } from "./errors.ts";
import { overlap, parseInto } from "./into.ts";
import { Keys } from "./key.ts";
import { type Placed, pathOf, placed } from "./placed.ts";
import { compiler } from "./templates.ts";

const OF_FROM = ["into", "metadata", "payload", "cache"] as const;

/** What is wrong with the configuration of a lookup beyond its shape. */
export function check(settings: LookupSettings, { children }: CheckContext): readonly Finding[] {
  const lookups = placed(settings);
  if (lookups.length === 0) return [finding([], errors.NO_FROM({}))];
  const stray = settings.from == null ? OF_FROM.filter((field) => settings[field] != null) : [];
  return [
    ...stray.map((field) => finding([field], errors.WITHOUT_FROM({ field }))),
    ...lookups.flatMap(checkTemplates),
    ...checkPlaces(lookups, settings.into == null),
    ...checkReplies(lookups, children),
  ];
}

function checkTemplates({ settings, at }: Placed): readonly Finding[] {
  const { metadata, payload, cache } = settings;
  const compile = compiler({ clock: systemClock, session: new Map() }, "");
  return [
    ...Object.entries(metadata ?? {}).flatMap(([key, text]) => faults([...at, "metadata", key], () => compile(text))),
    ...(payload == null ? [] : faults([...at, "payload"], () => compile(payload))),
    ...(cache == null ? [] : faults([...at, "cache", "key"], () => new Keys(cache.key, compile))),
  ];
}

function checkPlaces(lookups: readonly Placed[], noInto: boolean): readonly Finding[] {
  const findings: Finding[] = [];
  const taken: { readonly into: string; readonly path: JsonPath }[] = [];
  for (const { settings, at } of lookups) {
    const { into } = settings;
    const where = [...at, "into"];
    const found = faults(where, () => {
      if (at.length === 0 && noInto) throw errors.NO_INTO({});
      if (into === "") throw errors.EMPTY_INTO({});
      const path = parseInto(into);
      if (path.length === 0 && lookups.length > 1) throw errors.ROOT_BESIDE_OTHERS({});
      const other = taken.find((one) => overlap(one.path, path));
      if (other) throw errors.INTO_TWICE({ into, other: other.into });
      if (path.length > 0) taken.push({ into, path });
    });
    findings.push(...found);
  }
  return findings;
}

/** Such a lookup fails for every message; mq-bridge starts it all the same. */
function checkReplies(lookups: readonly Placed[], children: CheckContext["children"]): readonly Finding[] {
  return children.flatMap(({ path, type, output }) => {
    const own = lookups.find((one) => pathOf(one) === path);
    if (!own || !output || output.replies) return [];
    const error = errors.NEVER_REPLIES({ path: `lookup.${path}`, type });
    return [{ ...finding([...own.at, "from"], error), level: "warning" as const }];
  });
}

function faults(path: Finding["path"], make: () => unknown): readonly Finding[] {
  try {
    make();
    return [];
  } catch (error) {
    if (!isMqbError(error)) throw error;
    return [finding(path, error)];
  }
}

function finding(path: Finding["path"], { code, message, hint }: MqbError): Finding {
  return { level: "error", path, code, message, ...(hint === undefined ? {} : { hint }) };
}
