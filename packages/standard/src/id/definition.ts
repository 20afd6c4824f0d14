import { type CheckContext, type Clock, defineMiddleware, type Finding, systemClock } from "@mqb/core/plugin";
import * as z from "zod";
import { errors } from "../errors.ts";
import { Template } from "../template/template.ts";
import { idConsumer } from "./consumer.ts";

export const idSchema = z.string({ error: "expected a string, the template of the id" }).meta({
  description: "Template of the id; a message for which one of its values is not there gets none.",
  examples: ["${payload:order_id}", "${metadata:tenant}/${payload:id}"],
  "x-mqb-template": true,
  "x-mqb-sets": ["mqb.id"],
});

export type IdConfig = z.input<typeof idSchema>;

export const id = defineMiddleware({
  description:
    "Gives messages an identity of their own, which is the same whenever they are read: the metadata `mqb.id`",
  schema: idSchema,
  keepsNothing: true,
  input: (inner, text, context) => idConsumer(inner, templateOf(text, context.clock), context),
  check,
});

/** Throws a `config` error for a template that cannot be an id. */
function templateOf(text: string, clock: Clock): Template {
  const template = new Template(text, { clock, env: process.env, counter: { next: 0 } });
  if (template.constant !== undefined) throw errors.ID_CONSTANT({ template: text });
  return template;
}

function check(text: string, _: CheckContext): Finding[] {
  if (templateOf(text, systemClock).repeatable) return [];
  return [
    {
      level: "warning",
      path: [],
      code: "MQB_STANDARD_ID_NEW_EACH_TIME",
      message: `the template "${text}" gives a message another id each time it is read`,
      hint: "make the id of values of the message only: `payload`, `metadata`, `message`",
    },
  ];
}
