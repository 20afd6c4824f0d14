import * as z from "zod";
import { field, integer, milliseconds } from "../fields.ts";

const text = z.string().min(1, { error: "expected a metadata key" });

const fields = z.strictObject({
  group_by: text.meta({
    description: "Metadata key: messages with the same value belong together. Those without it are all one group.",
    examples: ["correlation_id"],
  }),
  expected_count: integer(1).meta({
    description:
      "How many messages make a group whole; with `branch_by`, how many branches, unless `required` is given.",
    examples: [2],
  }),
  timeout_ms: milliseconds().meta({
    description: "How long a group waits for the rest, counted from its first message.",
    examples: [5_000],
  }),
  branch_by: text.nullish().meta({
    description: "Metadata key: the branch that a message comes from. The joined message is an object by branch then.",
  }),
  required: field(z.array(z.string()), [], { description: "Branches that make a group whole, in place of a number." }),
  on_timeout: field(z.enum(["fire", "discard"]), "fire", {
    description: "A group that is not whole in time: `fire` joins what has come, `discard` drops it.",
  }),
  ack: field(z.enum(["on_join", "on_receive"]), "on_join", {
    description:
      "When messages are acknowledged: with the joined message that they went into, or as soon as they come. The second loses open groups in a crash.",
  }),
  max_open_bytes: field(integer(1), 64 * 1024 * 1024, {
    description:
      "Nothing more is read while open groups, or the batches that wait for them, hold this many bytes. Of each message in a group some are counted besides its payload.",
  }),
});

export const weakJoinSchema = fields.meta({
  "x-mqb-inside": [
    {
      others: ["sequence"],
      unless: { ack: "on_receive" },
      otherwise:
        "a phase ends when all of it is acknowledged, and messages of groups that are not whole are only after `timeout_ms`",
    },
  ],
});

export type WeakJoinConfig = z.input<typeof weakJoinSchema>;
export type WeakJoinSettings = z.output<typeof weakJoinSchema>;
