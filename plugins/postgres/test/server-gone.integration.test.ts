import { testConnector } from "@mqb/testkit";
import { beforeAll, describe, it } from "vitest";
import { connectorOn, kinds } from "./connectors.ts";
import { SPARE } from "./server.ts";
import { killSpare, restartSpare, startSpare } from "./spare.ts";

const SLOW = { patienceMs: 60_000, timeoutMs: 180_000 };

// What the other server has shown already is not shown again.
const needsIt = Object.assign(
  ((name: string, ...rest: readonly unknown[]) => {
    if (/server that is|restart of the server/.test(name) && !name.startsWith("left out"))
      Reflect.apply(it, undefined, [name, ...rest]);
  }) as typeof it,
  it,
);

beforeAll(startSpare, 150_000);

for (const kind of kinds) {
  const named = {
    describe: (title: string, body: () => void) => describe(`${title}, ${kind.name}`, body),
    it: needsIt,
  };
  testConnector(named, connectorOn(SPARE, kind, { ...SLOW, restart: restartSpare, kill: killSpare }));
}
