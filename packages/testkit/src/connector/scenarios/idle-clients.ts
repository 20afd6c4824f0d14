import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { ConnectorLab } from "../lab.ts";
import { input, listens, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

export const idleClients: readonly ConnectorScenario[] = [
  {
    name: "clients that are connected and say nothing, or only half, do not hold the close of a listening source up",
    leftOut: unless(input, listens),
    async run(lab) {
      const consumer = await lab.consumer();
      const clients = [await client(lab), await client(lab)];
      try {
        clients[1]!.write("GET / HTT");
        await lab.soon(consumer.close(), "closing with open connections");
        for (const one of clients) {
          if (!one.closed) await lab.soon(once(one, "close"), "the end of the clients' connections");
        }
      } finally {
        for (const one of clients) one.destroy();
      }
    },
  },
];

async function client(lab: ConnectorLab): Promise<Socket> {
  const socket = connect(await lab.tested.fixture.listens!(lab.place));
  socket.on("error", () => {});
  socket.resume();
  await lab.soon(once(socket, "connect"), "connecting to the source");
  return socket;
}
