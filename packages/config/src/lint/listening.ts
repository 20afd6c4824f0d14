import type { Side } from "@mqb/core/plugin";
import { membersMarked } from "../fields/field.ts";
import { type FoundInRoute, problem, type Services } from "./lint.ts";
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

interface Address {
  readonly host: string;
  readonly port: string;
  /** Who listens on it, for messages. */
  readonly by: string;
}

interface Listener extends Address {
  readonly route: string;
  readonly part: EndpointPart;
  readonly field: string;
  readonly facts: ListenFacts;
}

const ANY_HOST = ["0.0.0.0", "[::]", "::", "*", ""];

/** Two endpoints of one configuration, or one and a service of the process, that listen on the same address. */
export function listening(routes: readonly Subject[], services: Services): FoundInRoute[] {
  const listeners = routes.flatMap(({ name, endpoints }) => endpoints.flatMap((part) => listenersOf(name, part)));
  const taken = Object.entries(services).flatMap(([name, address]) => addressOf(address, name));
  return listeners.flatMap((one, index) => {
    const service = taken.find((address) => overlap(address, one));
    const listener = service ? undefined : listeners.slice(0, index).find((before) => collide(before, one));
    const other = service ?? listener;
    if (!other) return [];
    const { route, part, field, facts } = one;
    const details = (facts.apart ?? [])
      .map((name) => settingOf(part, name))
      .filter((value) => typeof value === "string");
    const canShare = details.length > 0 && one.part.name === listener?.part.name;
    const shared = canShare ? details : [];
    const [mine, theirs] = [one, other].map(({ host, port: number }) => [`${host}:${number}`, ...shared].join(" "));
    const message = `${other.by} already listens on ${theirs}${mine === theirs ? "" : includes(other.host, mine!)}`;
    const hint = canShare ? `change one of: ${[field, ...(facts.apart ?? [])].join(", ")}` : "use another port";
    return [{ route, problem: problem("error", "MQB_LINT_PORT", [...part.path, field], message, hint) }];
  });
}

function includes(host: string, other: string): string {
  return `, which ${ANY_HOST.includes(host) ? "includes" : "is a part of"} ${other}`;
}

function listenersOf(route: string, part: EndpointPart): Listener[] {
  return membersMarked(part.field, "listens").flatMap(([field, mark]): Listener[] => {
    const facts = mark as ListenFacts;
    const address = settingOf(part, field);
    if (typeof address !== "string" || (facts.side ?? part.side) !== part.side) return [];
    if (facts.when !== undefined && settingOf(part, facts.when) !== true) return [];
    return addressOf(address, `route "${route}"`).map((one) => ({ ...one, route, part, field, facts }));
  });
}

/** None for port 0, which is any free one, and for what names no port. */
function addressOf(address: string, by: string): Address[] {
  const [, host, port] = /^(?:[a-z][a-z+.-]*:\/\/)?(\[[^\]]*\]|[^:/?#]*):(\d+)(?:[/?#]|$)/i.exec(address) ?? [];
  return port === undefined || port === "0" ? [] : [{ host: host!, port, by }];
}

function overlap(a: Address, b: Address): boolean {
  return a.port === b.port && (a.host === b.host || ANY_HOST.includes(a.host) || ANY_HOST.includes(b.host));
}

function collide(a: Listener, b: Listener): boolean {
  if (!overlap(a, b)) return false;
  const apart = a.part.name === b.part.name && a.host === b.host ? (b.facts.apart ?? []) : [];
  return apart.every((field) => (settingOf(a.part, field) ?? null) === (settingOf(b.part, field) ?? null));
}
