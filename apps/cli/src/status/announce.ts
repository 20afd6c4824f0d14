import type { Bridge } from "@mqb/core";
import type { Logger } from "@mqb/core/plugin";
import type { CommandContext } from "../context.ts";
import type { ReadConfiguration } from "../run/sources.ts";
import { instancesFolder } from "./folder.ts";
import { announceInstance, type Lease } from "./lease.ts";

/** Announces a run to `mqb status`. Undefined where the system offers no private place for it; that is no fault. */
export function announce(
  read: ReadConfiguration,
  bridge: Bridge,
  { environment, clock, cwd, output }: CommandContext,
  log: Logger,
): Lease | undefined {
  const folder = instancesFolder(environment);
  if (folder === undefined) {
    log.debug("mqb status will not show this process: neither XDG_RUNTIME_DIR nor TMPDIR is set");
    return undefined;
  }
  try {
    return announceInstance({
      folder,
      clock,
      workspace: read.files[0] ?? cwd,
      showErrors: environment["MQB_STATUS_SHOW_ERRORS"] === "1",
      redact: (text) => output.redactor.text(text),
      routes: () =>
        bridge.routes.map((route) => ({
          status: route.status(),
          input: route.plan.input.type,
          output: route.plan.output.type,
        })),
    });
  } catch (error) {
    log.warn(`mqb status will not show this process: ${(error as Error).message}`);
    return undefined;
  }
}
