import { type CheckContext, defineMiddleware, type Finding, type OpenContext } from "@mqb/core/plugin";
import { Budget, type BudgetLimits } from "./budget.ts";
import { type DlqSettings, dlqSchema, thresholdOf } from "./config.ts";
import { type DlqMemory, DlqPublisher } from "./publisher.ts";
import { Remembered } from "./remembered.ts";

export const dlq = defineMiddleware({
  description: "Sends messages that failed for good to another endpoint",
  schema: dlqSchema,
  async output(inner, settings, context) {
    const { route, clock, log } = context;
    const limits = limitsOf(settings);
    return new DlqPublisher({
      inner,
      letters: await context.openPublisher(settings.endpoint, "endpoint"),
      memory: memoryOf(limits, context),
      limits,
      route,
      clock,
      log,
    });
  },
  children: ({ endpoint }) => [{ path: "endpoint", side: "output", endpoint }],
  check: (_, context) => checkOrder(context),
});

/** The last entry of the list is the outermost: a `retry` behind the `dlq` keeps what it gives up on from it. */
function checkOrder({ middlewares }: CheckContext): Finding[] {
  if (middlewares.lastIndexOf("retry") < middlewares.lastIndexOf("dlq")) return [];
  return [
    {
      level: "warning",
      path: [],
      code: "MQB_STANDARD_DLQ_BEFORE_RETRY",
      message:
        '"retry" is listed after "dlq", so messages whose retries are exhausted go back to the source and not to the dlq',
      hint: 'list "dlq" last (the last entry is the outermost)',
    },
  ];
}

function limitsOf(settings: DlqSettings): BudgetLimits {
  const { stop_window: window, stop_after: after } = settings;
  const threshold = thresholdOf(settings);
  return {
    after: after ?? Number.POSITIVE_INFINITY,
    ...(window != null && threshold !== undefined ? { window, threshold } : {}),
  };
}

function memoryOf(limits: BudgetLimits, { session }: OpenContext): DlqMemory {
  const before = session.get("dlq") as DlqMemory | undefined;
  if (before) return before;
  const memory: DlqMemory = { remembered: new Remembered(), budget: new Budget(limits) };
  session.set("dlq", memory);
  return memory;
}
