import { deepEqual } from "node:assert/strict";
import { isPending } from "../../wait/eventually.ts";
import { input, noticesSilence, server, stored, unless } from "../left-out.ts";
import { proxyOf, via } from "../proxied.ts";
import type { ConnectorScenario } from "../types.ts";

export const silentPeer: ConnectorScenario = {
  name: "a source whose peer is gone without a word notices it by itself, and reads on after it is opened again",
  leftOut: unless(input, server, stored, noticesSilence),
  async run(lab) {
    await using proxy = await proxyOf(lab);
    await lab.seed(lab.messages(1));
    const reader = lab.reader({ config: via(lab, proxy).input, reopens: true });
    await reader.commit(await reader.take(1));
    const waiting = reader.take(1);
    waiting.catch(() => {});
    await isPending(waiting);
    proxy.abandon();
    await lab.seed(lab.messages(1, 1));
    deepEqual([...new Set((await waiting).numbers)], [1]);
    await reader.close();
  },
};
