import { defineMiddleware, type OpenContext } from "@mqb/core/plugin";
import { type FilterSettings, filterSchema } from "./config.ts";
import { filterConsumer } from "./consumer.ts";
import { filterPublisher } from "./publisher.ts";
import { Sieve } from "./sieve.ts";

export const filter = defineMiddleware({
  description: "Keeps only the messages for which an expression is true",
  schema: filterSchema,
  keepsNothing: true,
  input: (inner, settings, context) => filterConsumer(inner, sieve(settings, context), context),
  output: (inner, settings, context) => filterPublisher(inner, sieve(settings, context), context.draining),
  check(settings, context) {
    context.expressions().predicate(settings.expression);
    return [];
  },
});

function sieve(settings: FilterSettings, context: OpenContext): Sieve {
  return new Sieve(settings, context.expressions(), context.log, context.route);
}
