import type { Side } from "@mqb/core/plugin";
import { type FoundInRoute, problem } from "./lint.ts";
import { type EndpointPart, type Subject, settingOf } from "./subject.ts";

/** `x-mqb-listens` of a field: the endpoint listens on the address in it. */
interface ListenFacts {
  /** Only on this side. */
  readonly side?: Side;
  /** Only with this flag. */
  readonly when?: string;
  /** Endpoints of one type share an address when they differ in one of these. */
  readonly apart?: readonly string[];
}

interface Listener {
  readonly route: string;
  readonly part: EndpointPart;
  readonly field: string;
  readonly facts: ListenFacts;
  readonly host: string;
  readonly port: string;
}

const ANY_HOST = ["0.0.0.0", "[::]", "::", "*", ""];

/** Two endpoints of one configuration that listen on the same address. */
export function listening(routes: readonly Subject[]): FoundInRoute[] {
  const listeners = routes.flatMap(({ name, endpoints }) => endpoints.flatMap((part) => listenersOf(name, part)));
  return listeners.flatMap((one, index) => {
    const other = listeners.slice(0, index).find((before) => collide(before, one));
    if (!other) return [];
    const { route, part, field, facts } = one;
    const details = (facts.apart ?? [])
      .map((name) => settingOf(part, name))
      .filter((value) => typeof value === "string");
    const what = [`${one.host}:${one.port}`, ...details].join(" ");
    const message = `${what} is listened on by route "${other.route}" already`;
    const hint =
      details.length > 0 ? `change one of: ${[field, ...(facts.apart ?? [])].join(", ")}` : "use another port";
    return [{ route, problem: problem("error", "MQB_LINT_PORT", [...part.path, field], message, hint) }];
  });
}

function listenersOf(route: string, part: EndpointPart): Listener[] {
  const members = part.field.options.flatMap((option) => Object.entries(option.properties ?? {}));
  return members.flatMap(([field, schema]): Listener[] => {
    const facts = schema["x-mqb-listens"] as ListenFacts | undefined;
    const address = settingOf(part, field);
    if (!facts || typeof address !== "string" || (facts.side ?? part.side) !== part.side) return [];
    if (facts.when !== undefined && settingOf(part, facts.when) !== true) return [];
    const [, host, port] = /^(?:[a-z][a-z+.-]*:\/\/)?(\[[^\]]*\]|[^:/?#]*):(\d+)(?:[/?#]|$)/i.exec(address) ?? [];
    // Port 0 is any free one.
    return port === undefined || port === "0" ? [] : [{ route, part, field, facts, host: host!, port }];
  });
}

function collide(a: Listener, b: Listener): boolean {
  if (a.port !== b.port) return false;
  if (a.host !== b.host && !ANY_HOST.includes(a.host) && !ANY_HOST.includes(b.host)) return false;
  const apart = a.part.name === b.part.name && a.host === b.host ? (b.facts.apart ?? []) : [];
  return apart.every((field) => (settingOf(a.part, field) ?? null) === (settingOf(b.part, field) ?? null));
}
