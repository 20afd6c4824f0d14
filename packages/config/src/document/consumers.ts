import { type Problem, suggest } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import type { Path, Place } from "./place.ts";
import type { NamedEndpoint } from "./publishers.ts";
import { readEnabled, type WrittenRoute } from "./routes.ts";

const MODES = ["none", "publisher", "response"];

/**
 * Reads `consumers`: each is a route whose input is the consumer's endpoint. Its output mode says where the messages go:
 * nowhere, to a publisher, or back as a response.
 */
export function readConsumers(
  value: unknown,
  at: Path,
  publishers: readonly NamedEndpoint[],
  problems: Problem[],
  place?: Place,
): WrittenRoute[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    problems.push(fault("MQB_CONFIG_TYPE", at, `"consumers" is a list of { name, endpoint, output }`));
    return [];
  }
  return value.flatMap((one, index) => {
    const path = [...at, index];
    if (isMap(one)) return readConsumer(one, path, publishers, problems, place);
    problems.push(fault("MQB_CONFIG_TYPE", path, `a consumer is a map with "endpoint"`));
    return [];
  });
}

function readConsumer(
  consumer: Record<string, unknown>,
  path: Path,
  publishers: readonly NamedEndpoint[],
  problems: Problem[],
  place: Place | undefined,
): WrittenRoute {
  const { id, name, enabled, endpoint, comment: _, response, output, message_capture: capture, ...options } = consumer;
  const called = textOf(name) ?? textOf(id) ?? `consumer_${Number(path.at(-1)) + 1}`;
  if (endpoint === undefined || endpoint === null) {
    problems.push(fault("MQB_CONFIG_MISSING", path, `the consumer "${called}" needs the field "endpoint"`));
  }
  if (isMap(capture) && capture["enabled"] !== false) {
    const message = `"message_capture" has no effect: it belongs to the web UI`;
    problems.push({ level: "note", code: "MQB_CONFIG_INERT", path: [...path, "message_capture"], message });
  }
  const target = readOutput(output, response, path, publishers, problems);
  return {
    name: called,
    path,
    enabled: readEnabled(enabled, [...path, "enabled"], problems, place),
    config: { ...options, input: endpoint ?? null, output: target.endpoint },
    sides: { input: [...path, "endpoint"], output: target.path },
  };
}

interface Target {
  readonly endpoint: unknown;
  readonly path: Path;
}

function readOutput(
  output: unknown,
  legacy: unknown,
  consumer: Path,
  publishers: readonly NamedEndpoint[],
  problems: Problem[],
): Target {
  const path = [...consumer, "output"];
  // Before there were output modes, a consumer with a response answered.
  if (output === undefined || output === null) {
    if (legacy !== undefined && legacy !== null) return answer(legacy, [...consumer, "response"], problems);
    return { endpoint: null, path };
  }
  if (!isMap(output)) {
    problems.push(fault("MQB_CONFIG_TYPE", path, `"output" of a consumer is a map with "mode"`));
    return { endpoint: null, path };
  }
  const { mode, ...fields } = output;
  const taken = mode === "publisher" ? ["publisher", "publisher_id"] : mode === "response" ? ["response"] : [];
  if (MODES.includes(mode as string)) {
    for (const key of Object.keys(fields)) {
      if (taken.includes(key) || fields[key] === null) continue;
      const message = `"output" of a consumer has no field "${key}" with mode ${String(mode)}`;
      problems.push(fault("MQB_CONFIG_UNKNOWN_FIELD", [...path, key], message, suggest(key, ["mode", ...taken])));
    }
  }
  if (mode === "none") return { endpoint: null, path };
  if (mode === "response") return answer(fields["response"] ?? legacy, [...path, "response"], problems);
  if (mode === "publisher") return publisherNamed(fields, path, publishers, problems);
  const hint = typeof mode === "string" ? suggest(mode, MODES) : `e.g. "mode: none"`;
  problems.push(fault("MQB_CONFIG_VALUE", [...path, "mode"], `"mode" of "output" takes ${MODES.join(", ")}`, hint));
  return { endpoint: null, path };
}

/** What a consumer answers: a text of its own with headers, or, without one, the message itself. */
function answer(response: unknown, path: Path, problems: Problem[]): Target {
  if (response === undefined || response === null) return { endpoint: { response: {} }, path };
  if (!isMap(response)) {
    problems.push(fault("MQB_CONFIG_TYPE", path, `"response" is a map with "payload" and "headers"`));
    return { endpoint: null, path };
  }
  const { payload, headers, ...others } = response;
  for (const key of Object.keys(others)) {
    const hint = suggest(key, ["payload", "headers"]);
    problems.push(fault("MQB_CONFIG_UNKNOWN_FIELD", [...path, key], `"response" has no field "${key}"`, hint));
  }
  const metadata = headers === undefined || headers === null ? {} : { metadata: headers };
  return { endpoint: { static: { body: payload ?? "", raw: true, ...metadata } }, path };
}

function publisherNamed(
  { publisher, publisher_id: publisherId }: Record<string, unknown>,
  path: Path,
  publishers: readonly NamedEndpoint[],
  problems: Problem[],
): Target {
  const id = textOf(publisherId);
  const name = textOf(publisher);
  const found =
    publishers.find((one) => id !== undefined && one.id === id) ??
    publishers.find((one) => name !== undefined && (one.name === name || one.id === name));
  if (found) return { endpoint: found.endpoint ?? null, path: found.path };
  const written = name ?? id;
  const field = [...path, name === undefined && id !== undefined ? "publisher_id" : "publisher"];
  if (written === undefined) {
    problems.push(fault("MQB_CONFIG_MISSING", field, `"output" with mode publisher needs the field "publisher"`));
  } else {
    const hint = suggest(
      written,
      publishers.map((one) => one.name),
    );
    problems.push(fault("MQB_CONFIG_UNKNOWN_PUBLISHER", field, `there is no publisher called "${written}"`, hint));
  }
  return { endpoint: null, path };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function fault(code: string, path: Path, message: string, hint?: string): Problem {
  return { level: "error", code, path, message, ...(hint === undefined ? {} : { hint }) };
}
