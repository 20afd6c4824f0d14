import { defineMiddleware, type OpenContext, replied } from "@mqb/core/plugin";
import { wrapConsumer, wrapPublisher } from "../wrap.ts";
import { type CookieJarSettings, cookieJarSchema } from "./config.ts";
import { Jar } from "./jar.ts";
import { Session } from "./session.ts";

export const cookieJar = defineMiddleware({
  description: "Keeps cookies and other values of a session, and sends them along",
  schema: cookieJarSchema,
  input(inner, settings, context) {
    const session = new Session(settings, jarOf(settings, context));
    return wrapConsumer(inner, {
      async receive(max, signal) {
        const delivery = await inner.receive(max, signal);
        const batch = session.pass(delivery.batch);
        return batch === delivery.batch ? delivery : { batch, commit: (given) => delivery.commit(given) };
      },
    });
  },
  output(inner, settings, context) {
    const session = new Session(settings, jarOf(settings, context));
    return wrapPublisher(inner, {
      // What is inside gets another batch.
      willSend() {},
      async send(batch, signal) {
        const outcomes = await inner.send(session.pass(batch), signal);
        return outcomes?.map((outcome) =>
          outcome.type === "replied" ? replied(session.answer(outcome.message)) : outcome,
        );
      },
    });
  },
});

/** A jar outlives a reconnect. */
function jarOf({ shared_scope: scope }: CookieJarSettings, { local, session, clock }: OpenContext): Jar {
  if (scope != null) return local(`cookie_jar ${scope}`, () => new Jar(clock));
  const before = session.get("cookie_jar") as Jar | undefined;
  if (before) return before;
  const jar = new Jar(clock);
  session.set("cookie_jar", jar);
  return jar;
}
