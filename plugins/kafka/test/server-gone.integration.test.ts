import { testConnector } from "@mqb/testkit";
import { beforeAll, describe, it } from "vitest";
import { connectorOn } from "./connector.ts";
import { withKafka } from "./server.ts";
import { killSpare, restartSpare, SPARE_URL, startSpare } from "./spare.ts";

/** A broker may take a minute to be back on a busy machine. */
const SLOW = { patienceMs: 90_000, timeoutMs: 240_000 };

// What the other broker has shown already is not shown again.
const needsIt = Object.assign(
  ((name: string, ...rest: readonly unknown[]) => {
    if (/server that is|restart of the server/.test(name) && !name.startsWith("left out"))
      Reflect.apply(it, undefined, [name, ...rest]);
  }) as typeof it,
  it,
);

await withKafka(() => {
  beforeAll(startSpare, 150_000);
  testConnector({ describe, it: needsIt }, connectorOn(SPARE_URL, { ...SLOW, restart: restartSpare, kill: killSpare }));
});
