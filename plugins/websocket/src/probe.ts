import { once } from "node:events";
import { createServer } from "node:net";
import { describeError, type ProbeContext, type ProbeFinding } from "@mqb/core/plugin";
import { listenAddress, targetOf } from "./address.ts";
import { siteText } from "./consumer/consumer.ts";
import { connect } from "./publisher/connect.ts";
import type { WebSocketSettings } from "./schema.ts";

/** Whether the address is free, or the server takes WebSocket clients. Leaves nothing open. */
export async function probe(settings: WebSocketSettings, context: ProbeContext): Promise<readonly ProbeFinding[]> {
  return context.side === "input" ? [await probeAddress(settings)] : [await probeServer(settings, context)];
}

async function probeAddress(settings: WebSocketSettings): Promise<ProbeFinding> {
  const { host, port } = listenAddress(settings.url);
  const site = siteText(settings);
  const identity = `websocket ${site}`;
  const server = createServer();
  try {
    server.listen({ port, exclusive: true, ...(host === "" ? {} : { host }) });
    await once(server, "listening");
    server.close();
    return { check: "free", ok: true, detail: `${site} can be listened on`, identity };
  } catch (error) {
    const hint = "use another port, or stop what listens there; a route of this configuration that runs is no fault";
    return { check: "free", ok: false, detail: `${site}: ${describeError(error)}`, hint, identity };
  }
}

async function probeServer(settings: WebSocketSettings, context: ProbeContext): Promise<ProbeFinding> {
  const { text } = targetOf(settings.url);
  const identity = `websocket ${text.replace(/^wss?:\/\//, "")}`;
  try {
    const { socket } = await connect(settings, context);
    socket.on("error", () => {});
    const closed = once(socket, "close");
    const stop = (): void => socket.terminate();
    context.signal.addEventListener("abort", stop, { once: true });
    const cancel = context.clock.timer(500, stop);
    socket.close(1000);
    await closed;
    cancel();
    context.signal.removeEventListener("abort", stop);
    return { check: "reachable", ok: true, detail: `${text} takes WebSocket clients`, identity };
  } catch (error) {
    context.signal.throwIfAborted();
    const { hint } = error as { readonly hint?: unknown };
    const detail = describeError(error);
    return { check: "reachable", ok: false, detail, identity, ...(typeof hint === "string" ? { hint } : {}) };
  }
}
