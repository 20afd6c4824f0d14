import { nearest, type Problem } from "@mqb/core";
import { knownNames } from "../known-packages.ts";
import { unitHint } from "./unit.ts";

export type Rewording = Pick<Problem, "hint"> & { readonly message?: string };

/** What is known of the place of a problem in a document. */
export interface Known {
  /** Whether something is written there, and what. */
  readonly isWritten: boolean;
  readonly value: unknown;
  /** The value as messages may show it. */
  readonly shown: string;
  /** Of the publishers of the document; absent when it is none. */
  readonly publishers?: readonly string[];
}

const GUARANTEES = ["at_most_once", "at_least_once", "effectively_once"];
const NOT_KNOWN = "neither mqb nor a known plugin has it; see docs/reference for the";

/** Says what core and the plugins find in the words of a document; undefined where theirs are the best. */
export function reworded(problem: Problem, known: Known): Rewording | undefined {
  const { code, path, message, hint } = problem;
  const name = String(path.at(-1));
  switch (code) {
    case "MQB_CONFIG_MISSING":
      if (path.length !== 1 || name !== "input" || !known.isWritten || known.value !== null) return undefined;
      return {
        message: `${message.replace(/^(route ".*") has no "input"$/, '"input" of $1')} is null, and null can only be an output`,
        hint: "e.g. input: { memory: { topic: a } }",
      };
    case "MQB_CONFIG_TWO_ENDPOINTS":
      if (hint !== undefined) return undefined;
      return { hint: `keep one, or write a route for each${isOutput(path) ? ", or list both under fanout" : ""}` };
    case "MQB_CONFIG_UNKNOWN_ENDPOINT":
    case "MQB_CONFIG_UNKNOWN_MIDDLEWARE":
      return hint?.startsWith("known:") ? notKnown(code, message) : undefined;
    case "MQB_CONFIG_WRONG_SIDE":
      return name === "fanout" ? { hint: "for several inputs write one route each" } : undefined;
    case "MQB_STANDARD_REF_UNKNOWN":
      return known.publishers && unknownPublisher(message, known.publishers, known.value);
    case "MQB_CONFIG_VALUE":
      return misfit(problem, known);
    default:
      return undefined;
  }
}

function isOutput(path: Problem["path"]): boolean {
  return path.length === 1 && path[0] === "output";
}

/** Core knows the names that are installed. */
function notKnown(code: string, message: string): Rewording {
  const what = code === "MQB_CONFIG_UNKNOWN_ENDPOINT" ? "endpoint" : "middleware";
  const written = /"(.*)"$/.exec(message)?.[1] ?? "";
  const near = nearest(written, knownNames(what));
  return { hint: near === undefined ? `${NOT_KNOWN} ${what}s` : `did you mean "${near}"?` };
}

function unknownPublisher(message: string, publishers: readonly string[], value: unknown): Rewording {
  const shown = /under the name (".*?"); there/.exec(message)?.[1] ?? "";
  const near = typeof value === "string" ? nearest(value, publishers) : undefined;
  const add = `add it at the top level: publishers: { ${shown.replace(/^"([A-Za-z_][\w-]*)"$/, "$1")}: { … } }`;
  return {
    message: `there is no publisher ${shown}`,
    hint: near === undefined ? `known: ${publishers.join(", ") || "none"}; ${add}` : `did you mean "${near}"?`,
  };
}

function misfit({ path, message }: Problem, { value, shown }: Known): Rewording | undefined {
  const cannot = /^(".*") is a string that does not fit: (cannot .*); (use .*)$/.exec(message);
  if (cannot) return { message: `${cannot[1]} ${cannot[2]}`, hint: cannot[3]! };
  if (path.length !== 1) return undefined;
  if (path[0] === "required_delivery") {
    const meant =
      typeof value !== "string" ? undefined : /exact/i.test(value) ? GUARANTEES[2] : nearest(value, GUARANTEES);
    return {
      message: `${message}, not ${shown}`,
      ...(meant === undefined ? {} : { hint: `did you mean "${meant}"?` }),
    };
  }
  if (typeof value !== "string" && typeof value !== "bigint") return undefined;
  const told = message.replace(/not a (?:string|bigint)$/, `not ${shown}`);
  if (typeof value !== "string" || !/takes a whole number/.test(told)) return { message: told };
  const hint = /^\d+$/.test(value) ? "write it without quotes" : unitHint(value, String(path[0]));
  return { message: told, ...(hint === undefined ? {} : { hint }) };
}

/** The fields that are missing because their names or their places are wrong are told once, with what was written. */
export function withoutConsequences<P extends Problem>(problems: readonly P[]): readonly P[] {
  const unknown = problems.filter(({ code }) => code === "MQB_CONFIG_UNKNOWN_FIELD");
  if (unknown.length === 0) return problems;
  return problems.filter((one) => {
    if (one.code !== "MQB_CONFIG_MISSING") return true;
    const name = String(one.path.at(-1));
    const around = one.path.slice(0, -1);
    const owner = String(around.at(-1));
    return !unknown.some(({ path, hint }) => {
      const isBeside = path.length === one.path.length && around.every((step, index) => path[index] === step);
      if (isBeside) return hint === `did you mean "${name}"?`;
      return path.at(-1) === name && hint === `"${name}" is a field of "${owner}": indent it below "${owner}"`;
    });
  });
}
