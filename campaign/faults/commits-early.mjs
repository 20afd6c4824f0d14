// A plugin for the campaign alone: a middleware that settles what it has received before the sink has it. A crash then
// loses what was on its way, which the campaign has to find.
import { API_VERSION, defineMiddleware, definePlugin } from "@mqb/core/plugin";

const ANYTHING = {
  "~standard": {
    version: /** @type {const} */ (1),
    vendor: "campaign",
    validate: (/** @type {unknown} */ value) => ({ value }),
    jsonSchema: { input: () => ({}) },
  },
};

export default definePlugin({
  name: "commits-early",
  apiVersion: API_VERSION,
  middlewares: {
    commits_early: defineMiddleware({
      description: "Settles too early.",
      schema: ANYTHING,
      input: (inner) => ({
        ...(inner.status && { status: inner.status.bind(inner) }),
        close: () => inner.close(),
        async receive(max, signal) {
          const delivery = await inner.receive(max, signal);
          await delivery.commit();
          return { batch: delivery.batch, commit: async () => {} };
        },
      }),
    }),
  },
});
