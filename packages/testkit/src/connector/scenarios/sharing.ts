import { deepEqual, equal } from "node:assert/strict";
import { eventually } from "../../wait/eventually.ts";
import { input, output, server, shares, stored, unless } from "../left-out.ts";
import { proxyOf, via } from "../proxied.ts";
import type { ConnectorScenario } from "../types.ts";

/** Two routes with the same connection settings have one client, which lasts as long as one of them needs it. */
export const sharing: readonly ConnectorScenario[] = [
  {
    name: "two sinks with the same settings share one connection, which lasts until both are closed",
    leftOut: unless(output, server, shares("output"), stored),
    async run(lab) {
      await using proxy = await proxyOf(lab);
      const { output: config } = via(lab, proxy);
      const first = await lab.publisher({ config });
      await lab.send(first, lab.messages(1));
      const { accepted } = proxy;
      const second = await lab.publisher({ config });
      await lab.send(second, lab.messages(1, 1));
      equal(proxy.accepted, accepted, "connections that were opened");
      await lab.soon(first.close(), "closing the first sink");
      await lab.send(second, lab.messages(1, 2));
      await lab.soon(second.close(), "closing the second sink");
      await eventually(() => proxy.connections === 0, "the connection to end", lab.patienceMs);
      deepEqual(lab.scope.held, [], "shared resources that nobody has released");
      deepEqual(await lab.stored(3), [0, 1, 2]);
    },
  },
  {
    name: "two sources with the same settings share one connection, which lasts until both are closed",
    leftOut: unless(input, server, shares("input"), stored),
    async run(lab) {
      await using proxy = await proxyOf(lab);
      const { input: config } = via(lab, proxy);
      await lab.seed(lab.messages(1));
      const first = lab.reader({ config });
      await first.commit(await first.take(1));
      const { accepted } = proxy;
      const second = lab.reader({ config });
      await second.open();
      await first.close();
      await lab.seed(lab.messages(1, 1));
      await second.commit(await second.take(1));
      equal(proxy.accepted, accepted, "connections that were opened");
      await second.close();
      await eventually(() => proxy.connections === 0, "the connection to end", lab.patienceMs);
      deepEqual(lab.scope.held, [], "shared resources that nobody has released");
    },
  },
];
