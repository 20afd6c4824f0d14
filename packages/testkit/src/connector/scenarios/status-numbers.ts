import { eventually } from "../../wait/eventually.ts";
import { acknowledges, counts, server, sinkAcknowledges, stored, unless } from "../left-out.ts";
import { proxyOf, via } from "../proxied.ts";
import type { ConnectorScenario } from "../types.ts";

const WAITING = 20;

export const statusNumbers: readonly ConnectorScenario[] = [
  {
    name: "the status of a source counts what waits, and nothing when everything is committed",
    leftOut: unless(acknowledges, counts, stored),
    async run(lab) {
      await lab.seed(lab.messages(WAITING));
      const reader = lab.reader();
      const consumer = await reader.open();
      const pending = (count: number) => () => consumer.status?.().pending === count;
      await eventually(pending(WAITING), `the status to say that ${WAITING} wait`, lab.patienceMs);
      await reader.commit(await reader.take(WAITING));
      await eventually(pending(0), "the status to say that none waits", lab.patienceMs);
    },
  },
  {
    name: "the status of a sink says when its connection is gone",
    leftOut: unless(sinkAcknowledges, server),
    async run(lab) {
      await using proxy = await proxyOf(lab);
      const publisher = await lab.publisher({ config: via(lab, proxy).output });
      await lab.send(publisher, lab.messages(1));
      await proxy.refuse();
      proxy.cut();
      // Who has no connection between two requests learns it from the next one.
      await lab.soon(Promise.allSettled([lab.send(publisher, lab.messages(1, 1))]), "the end of a send");
      await eventually(() => publisher.status?.().healthy === false, "the status to be bad", lab.patienceMs);
    },
  },
];
