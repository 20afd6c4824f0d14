import { type FoundInRoute, problem } from "./lint.ts";
import { type NamedSource, readerSourceOf } from "./source-facts.ts";
import { type EndpointPart, type Subject, settingOf } from "./subject.ts";

interface Reader {
  readonly route: string;
  readonly part: EndpointPart;
  readonly source: NamedSource;
}

/** Two routes that read the same in ways that do not go together. */
export function sharedSource(routes: readonly Subject[]): FoundInRoute[] {
  const readers = routes.flatMap(({ name, endpoints }) =>
    endpoints.flatMap((part): Reader[] => {
      const source = part.side === "input" ? readerSourceOf(part) : undefined;
      return source ? [{ route: name, part, source }] : [];
    }),
  );
  const before = new Map<string, Reader[]>();
  return readers.flatMap((reader) => {
    const others = before.get(reader.source.key) ?? [];
    const found = others.flatMap((other) => [
      ...differing(reader, other),
      ...taking(reader, other),
      ...sharing(reader, other),
    ]);
    before.set(reader.source.key, others);
    others.push(reader);
    return found;
  });
}

function differing({ route, part, source }: Reader, other: Reader): FoundInRoute[] {
  return (source.alike ?? [])
    .filter((field) => settingOf(part, field) !== settingOf(other.part, field))
    .map((field) => {
      const [on, off] = settingOf(part, field) === true ? [route, other.route] : [other.route, route];
      const message = `${source.shown} of "${part.name}" is read with ${field} by route "${on}" and as a queue by route "${off}": it is one or the other`;
      const path = part.path;
      return { route, problem: problem("error", "MQB_LINT_MODES", path, message, `set ${field} on both, or on none`) };
    });
}

function taking(reader: Reader, other: Reader): FoundInRoute[] {
  return (reader.source.alone ?? []).flatMap((field) => {
    const taker = [reader, other].find((one) => settingOf(one.part, field) === true);
    if (!taker) return [];
    const { route, part, source } = reader;
    const victim = taker === reader ? other : reader;
    const message = `${source.shown} of "${part.name}" is read by routes "${taker.route}" and "${victim.route}", and with ${field} "${taker.route}" takes away what the other has not read yet`;
    return [{ route, problem: problem("warning", "MQB_LINT_TAKEN", part.path, message) }];
  });
}

function sharing({ route, part, source }: Reader, other: Reader): FoundInRoute[] {
  return (source.apart ?? []).flatMap((field) => {
    const [value, others] = [part, other.part].map((one) => settingOf(one, field) ?? source.otherwise?.[field]);
    if (typeof value !== "string" || value !== others) return [];
    const message = `routes "${other.route}" and "${route}" read ${source.shown} of "${part.name}" with one ${field}: both move its position, and each misses what the other has read`;
    const hint = `give each a ${field} of its own`;
    return [{ route, problem: problem("warning", "MQB_LINT_TAKEN", [...part.path, field], message, hint) }];
  });
}
