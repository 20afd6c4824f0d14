import { defineErrors, errorRow } from "@mqb/core/plugin";

/** Of a long expression this many characters around the fault are shown. */
const SHOWN = 160;

/** Every error of the expression language. Those of evaluation hold no value of a message. */
export const expressionErrors = defineErrors("MQB_EXPRESSION", {
  SYNTAX: errorRow<{ source: string; at: number; reason: string; near?: string }>({
    kind: "config",
    message: ({ source, at, reason, near }) => {
      const from = Math.max(0, at - SHOWN / 2);
      const line = source.slice(from, from + SHOWN).replace(/[\r\n\t]/g, " ");
      // Before the line, where a hint would stand behind the mark.
      const meant = near === undefined ? "" : `; did you mean "${near}"?`;
      const of = reason.startsWith("the expression ") ? "" : " of the expression";
      return `${reason}, at column ${at + 1}${of}${meant}\n  ${line}\n  ${" ".repeat(at - from)}^`;
    },
  }),
  INDEXED: errorRow<{ source: string; path: string }>({
    kind: "config",
    message: (p) => `the expression "${p.source}" reads ${p.path}: positions in lists are not supported here`,
    hint: "some(list, # == value) looks at every item",
  }),
  NO_TEST: errorRow<{ source: string }>({
    kind: "config",
    message: (p) => `the expression "${p.source}" sets a value, but tests nothing`,
    hint: "use == to compare; there are ==, !=, <, <=, >, >=, in, not in",
  }),
  EVALUATION: errorRow<{ reason: string }>({
    kind: "permanent",
    message: (p) => p.reason,
  }),
  NOT_AN_OBJECT: errorRow<Record<string, never>>({
    kind: "permanent",
    message: () => "the expression requires a structured JSON object as payload",
    hint: "name only meta. fields in it, or take such messages out before",
  }),
  NOT_A_BOOLEAN: errorRow<{ type: string }>({
    kind: "permanent",
    message: (p) => `the expression gives a ${p.type}, not true or false`,
  }),
  TOO_MUCH: errorRow<{ limit: number }>({
    kind: "permanent",
    message: (p) => `the expression took more than ${p.limit} steps for one message`,
  }),
});

/** Shorthand for what cannot be computed. */
export function cannot(reason: string): Error {
  return expressionErrors.EVALUATION({ reason });
}
