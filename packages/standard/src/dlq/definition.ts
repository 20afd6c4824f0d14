import { type CheckContext, defineMiddleware, type Finding, type OpenContext } from "@mqb/core/plugin";
import { type DlqSettings, dlqSchema, thresholdOf } from "./config.ts";
import { type DlqMemory, DlqPublisher } from "./publisher.ts";
import { Remembered } from "./remembered.ts";
import { StopWindow } from "./stop-window.ts";

export const dlq = defineMiddleware({
  description: "Sends messages that failed for good to another endpoint",
  schema: dlqSchema,
  async output(inner, settings, context) {
    const { route, clock, log } = context;
    return new DlqPublisher({
      inner,
      letters: await context.openPublisher(settings.endpoint, "endpoint"),
      memory: memoryOf(settings, context),
      limits: {
        window: settings.stop_window ?? 0,
        threshold: thresholdOf(settings) ?? 0,
        after: settings.stop_after ?? Number.POSITIVE_INFINITY,
      },
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
        "`retry` stands behind `dlq`: messages whose retries are exhausted go back to the source, not to the dlq",
      hint: "list `dlq` last: the last entry is the outermost",
    },
  ];
}

function memoryOf(settings: DlqSettings, { session }: OpenContext): DlqMemory {
  const before = session.get("dlq") as DlqMemory | undefined;
  if (before) return before;
  const { stop_window: window } = settings;
  const threshold = thresholdOf(settings);
  const memory: DlqMemory = {
    remembered: new Remembered(),
    letters: 0,
    ...(window != null && threshold !== undefined ? { window: new StopWindow(window, threshold) } : {}),
  };
  session.set("dlq", memory);
  return memory;
}
