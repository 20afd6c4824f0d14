import { type ConfiguredRoute, exactJson } from "@mqb/config";
import { ordered } from "../ordered.ts";

/** What a new configuration asks for, compared with what runs. Names in the order of the configuration. */
export interface Changes {
  readonly added: readonly ConfiguredRoute[];
  readonly changed: readonly ConfiguredRoute[];
  readonly removed: readonly string[];
  readonly unchanged: number;
}

/** Compares by the resolved configuration: where and in which order something is written makes no difference. */
export function compareRoutes(running: ReadonlyMap<string, string>, wanted: readonly ConfiguredRoute[]): Changes {
  const names = new Set(wanted.map((route) => route.name));
  const added = wanted.filter((route) => !running.has(route.name));
  const changed = wanted.filter(
    (route) => running.has(route.name) && running.get(route.name) !== fingerprint(route.config),
  );
  return {
    added,
    changed,
    removed: [...running.keys()].filter((name) => !names.has(name)),
    unchanged: wanted.length - added.length - changed.length,
  };
}

/** The same text for equal configurations. */
export function fingerprint(config: unknown): string {
  return exactJson(ordered(config));
}
