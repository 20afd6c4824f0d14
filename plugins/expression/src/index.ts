import { API_VERSION, definePlugin, type Plugin } from "@mqb/core/plugin";
import { compileComputation } from "./computation.ts";
import { compileEvaluator } from "./evaluator.ts";
import { compilePredicate } from "./predicate.ts";

export { expressionErrors } from "./errors.ts";
export { compileExpression, compileUnary, type Expression } from "./evaluate.ts";

/** The expression language, compatible with ZEN. */
const plugin: Plugin = definePlugin({
  name: "@mqb/expression",
  apiVersion: API_VERSION,
  expressions: { predicate: compilePredicate, evaluator: compileEvaluator, computation: compileComputation },
});
export default plugin;
