import type { Consumer, OpenContext } from "@mqb/core/plugin";
import { openListener } from "../listener/index.ts";
import type { HttpConfig } from "../schema.ts";
import { Codings } from "../wire/codings.ts";
import { DroppedHeaders } from "../wire/dropped-headers.ts";
import { Answers } from "./answers.ts";
import { HttpConsumer } from "./consumer.ts";
import { sourceSettings } from "./settings.ts";
import { checkStreamable } from "./streamable.ts";
import { TlsFacts } from "./tls-facts.ts";

/** Listens, or joins the listener that is there, and takes the requests of one path and method. */
export async function openSource(config: HttpConfig, context: OpenContext): Promise<Consumer> {
  checkStreamable(config);
  const settings = sourceSettings(config);
  const codings = new Codings();
  const dropped = new DroppedHeaders("an answer", context);
  const lost = (count: number): void => {
    const text = `${count} request(s) that were answered with 202 are lost: fire_and_forget does not wait for the route`;
    context.log.warn(text, { route: context.route });
  };
  const answers = new Answers(settings, codings, dropped.add);
  const consumer = new HttpConsumer({ settings, codings, answers, clock: context.clock, tls: new TlsFacts(), lost });
  const shared = await openListener(
    {
      url: config.url,
      path: `${context.path}.http`,
      tls: config.tls,
      protocol: config.server_protocol,
      headTimeoutMs: config.header_read_timeout_ms ?? undefined,
      reusePortVariable: "MQ_BRIDGE_HTTP_REUSEPORT",
    },
    context,
  );
  const listener = shared.value;
  const path = mountPath(config.path);
  const method = config.method?.toUpperCase();
  try {
    const place = listener.mount({ route: context.route, path, method, request: consumer.take }, consumer.failed);
    // While the route reconnects, its path is not unknown.
    context.session.set("http place", { [Symbol.asyncDispose]: async () => place.giveUp() });
    consumer.attach({
      target: targetOf(listener.address, path, method),
      address: listener.address,
      async leave() {
        place.leave();
        await shared.release();
      },
    });
  } catch (error) {
    await shared.release();
    throw error;
  }
  return consumer;
}

/** The path as requests name it. */
export function mountPath(path: string | null | undefined): string | undefined {
  if (path == null || path === "") return undefined;
  return path.startsWith("/") ? path : `/${path}`;
}

function targetOf(address: string, path: string | undefined, method: string | undefined): string {
  return `${method === undefined ? "" : `${method} `}${address}${path ?? ""}`;
}
