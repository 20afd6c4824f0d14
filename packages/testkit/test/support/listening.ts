import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Consumer } from "@mqb/core/plugin";
import type { Address } from "../../src/index.ts";
import type { Fault } from "./queue-connector.ts";

/** Lets the queue's source listen at a port, as an HTTP server does. */
export class Listening {
  /** Whether its close waits until the clients have gone. */
  private readonly patient: boolean;
  private listener: Server | undefined;

  constructor(patient: boolean) {
    this.patient = patient;
  }

  readonly address = async (): Promise<Address> => {
    if (!this.listener!.listening) await once(this.listener!, "listening");
    return { host: "127.0.0.1", port: (this.listener!.address() as { port: number }).port };
  };

  readonly fault: Fault = {
    consumer: (inner): Consumer => {
      const clients = new Set<Socket>();
      const listener = createServer((socket) => {
        clients.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => clients.delete(socket));
      }).listen(0, "127.0.0.1");
      this.listener = listener;
      const closed = once(listener, "close");
      return {
        receive: (max, signal) => inner.receive(max, signal),
        status: () => inner.status!(),
        close: async () => {
          listener.close();
          if (!this.patient) for (const client of clients) client.destroy();
          await closed;
          await inner.close();
        },
      };
    },
  };
}
