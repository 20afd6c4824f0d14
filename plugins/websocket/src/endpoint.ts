import { type CheckContext, defineEndpoint, type Finding, isMqbError } from "@mqb/core/plugin";
import { checkTls } from "@mqb/tls";
import { listenAddress, targetOf } from "./address.ts";
import { openConsumer } from "./consumer/consumer.ts";
import { probe } from "./probe.ts";
import { openPublisher } from "./publisher/publisher.ts";
import { type WebSocketSettings, websocketSchema } from "./schema.ts";

export const websocketEndpoint = defineEndpoint({
  description: "WebSockets: the input listens, and answers its clients; the output is a client",
  schema: websocketSchema,
  input: {
    capabilities: () => ({
      // A client is told of nothing: what was received and not settled is lost with the process, and kept until then.
      acknowledges: false,
      takesBack: true,
      commitsInOrder: false,
      replies: true,
      stableIds: false,
      replayablePosition: false,
      bounded: false,
    }),
    open: openConsumer,
  },
  output: {
    capabilities: () => ({
      // The system takes what the server has not read yet, and may never read.
      acknowledges: false,
      replies: false,
      orderedPublish: false,
      idempotent: false,
      keepsNothing: true,
    }),
    open: openPublisher,
  },
  check,
  probe,
});

function check(settings: WebSocketSettings, { side }: CheckContext): readonly Finding[] {
  try {
    return side === "output" ? checkTarget(settings) : checkAddress(settings);
  } catch (error) {
    if (!isMqbError(error)) throw error;
    const { code, message, hint } = error;
    return [{ level: "error", path: ["url"], code, message, ...(hint === undefined ? {} : { hint }) }];
  }
}

function checkTarget({ url, tls }: WebSocketSettings): readonly Finding[] {
  return checkTls(targetOf(url).secure ? { ...tls, required: true } : tls, ["tls"], "client");
}

function checkAddress({ url, tls, path }: WebSocketSettings): readonly Finding[] {
  const address = listenAddress(url);
  const found = checkTls(address.secure ? { ...tls, required: true } : tls, ["tls"], "listener");
  if (address.path === undefined || path == null || path === "") return found;
  const twice: Finding = {
    level: "error",
    path: ["path"],
    code: "MQB_WEBSOCKET_PATH_TWICE",
    message: `the address "${url}" has a path of its own beside \`path: ${path}\``,
    hint: "leave one of them out",
  };
  return [...found, twice];
}
