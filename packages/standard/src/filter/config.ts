import * as z from "zod";
import { field } from "../fields.ts";
import { withShorthand } from "../shorthand.ts";

const filterObject = z
  .strictObject({
    expression: z
      .string()
      .min(1, { error: "expected an expression" })
      .meta({
        description: "True for the messages to keep. Reads payload fields by name and metadata as `meta.<key>`.",
        examples: ["amount > 100", 'order.status == "open" and meta.kind == "a"'],
      }),
    on_error: field(z.enum(["fail", "drop"]), "fail", {
      description:
        "A message that the expression cannot be evaluated for: `fail` stops the route, `drop` drops the message with a warning.",
    }),
  })
  .meta({
    "x-mqb-order": [
      {
        side: "output",
        others: ["encryption", "compression", "pack"],
        handles: "before",
        otherwise: "an expression with fields of the payload gets what that makes of it",
        level: "note",
      },
      {
        side: "input",
        others: ["encryption", "compression", "unpack"],
        handles: "after",
        otherwise: "an expression with fields of the payload gets what is not yet taken apart",
        level: "note",
      },
    ],
  });

export const filterSchema = withShorthand(filterObject, "expression", "the expression alone");

/** A filter as written: the expression alone, or with what to do about errors. */
export type FilterConfig = string | z.input<typeof filterObject>;
export type FilterSettings = z.output<typeof filterObject>;
