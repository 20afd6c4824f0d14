import { equal } from "node:assert/strict";
import { batchOf } from "@mqb/core/plugin";
import { isPending } from "../../wait/eventually.ts";
import { input, output, server, stored, unless } from "../left-out.ts";
import { proxyOf, via } from "../proxied.ts";
import type { ConnectorScenario } from "../types.ts";

/** Close does not wait for a server that says nothing. */
export const closingBlocked: readonly ConnectorScenario[] = [
  {
    name: "close of a source wakes its receive although the connection stands still",
    leftOut: unless(input, server, stored),
    async run(lab) {
      await using proxy = await proxyOf(lab);
      await lab.seed(lab.messages(1));
      const reader = lab.reader({ config: via(lab, proxy).input });
      await reader.commit(await reader.take(1));
      const consumer = await reader.open();
      const receiving = Promise.allSettled([consumer.receive(10, new AbortController().signal)]);
      await isPending(receiving, 50);
      proxy.stall();
      await lab.soon(Promise.all([consumer.close(), consumer.close()]), "closing twice");
      const [result] = await lab.soon(receiving, "the end of the waiting receive");
      if (result.status === "fulfilled") equal(result.value.batch.length, 0);
    },
  },
  {
    name: "close of a sink does not wait for its send when the connection stands still",
    leftOut: unless(output, server),
    async run(lab) {
      await using proxy = await proxyOf(lab);
      const publisher = await lab.publisher({ config: via(lab, proxy).output });
      proxy.stall();
      const stop = new AbortController();
      const sending = Promise.allSettled([publisher.send(batchOf(lab.messages(1)), stop.signal)]);
      await isPending(sending, 50);
      await lab.soon(Promise.all([publisher.close(), publisher.close()]), "closing twice");
      stop.abort(new Error("the grace period is over"));
      await lab.soon(sending, "the end of the send");
    },
  },
];
