import { defineMiddleware, type OpenContext } from "@mqb/core/plugin";
import { type DlqSettings, dlqSchema } from "./config.ts";
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
      limits: { window: settings.stop_window ?? 0, threshold: settings.stop_threshold ?? 0 },
      route,
      clock,
      log,
    });
  },
  children: ({ endpoint }) => [{ path: "endpoint", side: "output", endpoint }],
});

function memoryOf(
  { stop_window: window, stop_threshold: threshold }: DlqSettings,
  { session }: OpenContext,
): DlqMemory {
  const before = session.get("dlq") as DlqMemory | undefined;
  if (before) return before;
  const memory: DlqMemory = {
    remembered: new Remembered(),
    ...(window != null && threshold != null ? { window: new StopWindow(window, threshold) } : {}),
  };
  session.set("dlq", memory);
  return memory;
}
