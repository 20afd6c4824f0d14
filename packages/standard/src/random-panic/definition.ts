import { type CheckContext, defineMiddleware, type Finding, type OpenContext } from "@mqb/core/plugin";
import * as z from "zod";
import { field, integer } from "../fields.ts";
import { faultyConsumer } from "./consumer.ts";
import { FAULTS } from "./faults.ts";
import { faultyPublisher } from "./publisher.ts";
import { Trigger } from "./trigger.ts";

export const randomPanicSchema = z.strictObject({
  mode: field(z.enum(FAULTS), "panic", {
    description:
      "What goes wrong. `disconnect`, `timeout` and `nack` may be tried again, `json_format_error` may not; `panic` is an error that nobody has foreseen.",
  }),
  trigger_on_message: integer(1)
    .nullish()
    .meta({ description: "Only the receive or send with this number fails, counted from 1. Left out = every one." }),
  enabled: field(z.boolean(), true, { description: "`false` switches it off and leaves it in the configuration." }),
});

export type RandomPanicConfig = z.input<typeof randomPanicSchema>;
export type RandomPanicSettings = z.output<typeof randomPanicSchema>;

/** Without the route's permission it is left out of the chain. */
export const randomPanic = defineMiddleware({
  description: "Makes receives or sends fail on purpose, to test what then happens; for tests only",
  schema: randomPanicSchema,
  input: (inner, settings, context) =>
    isOn(settings, context) ? faultyConsumer(inner, settings.mode, triggerOf(settings, context), context) : inner,
  output: (inner, settings, context) =>
    isOn(settings, context) ? faultyPublisher(inner, settings.mode, triggerOf(settings, context)) : inner,
  check,
});

function isOn({ enabled }: RandomPanicSettings, { allowFaultInjection, log, route, path }: OpenContext): boolean {
  if (enabled && !allowFaultInjection)
    log.info("random_panic is disabled: the route does not set allow_fault_injection", { route, path });
  return enabled && allowFaultInjection;
}

/** Counts on after a reconnect: a fault that is asked for once happens once. */
function triggerOf({ trigger_on_message: number }: RandomPanicSettings, { session }: OpenContext): Trigger {
  const before = session.get("random_panic") as Trigger | undefined;
  if (before) return before;
  const trigger = new Trigger(number ?? undefined);
  session.set("random_panic", trigger);
  return trigger;
}

function check(settings: RandomPanicSettings, context: CheckContext): Finding[] {
  const found = (level: Finding["level"], path: string[], code: string, message: string, hint: string): Finding[] => [
    { level, path, code, message, hint },
  ];
  if (!settings.enabled) return [];
  if (!context.allowFaultInjection) {
    return found(
      "note",
      [],
      "MQB_STANDARD_FAULTS_OFF",
      `random_panic does nothing: route "${context.route}" does not allow faults to be injected`,
      "set `allow_fault_injection: true` in the route, in tests only",
    );
  }
  if (context.side === "input" && context.draining && settings.trigger_on_message == null) {
    return found(
      "warning",
      ["trigger_on_message"],
      "MQB_STANDARD_FAULTS_NO_END",
      "every receive fails, so this route never comes to the end of its source",
      "set `trigger_on_message`",
    );
  }
  return [];
}
