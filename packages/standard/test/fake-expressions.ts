import { API_VERSION, definePlugin, type ExpressionCompiler, type Plugin } from "@mqb/core/plugin";

/**
 * An expression language for tests. A text is true for the messages whose payload does not contain it; a payload with
 * `broken` in it cannot be evaluated.
 */
export const fakeCompiler: ExpressionCompiler = {
  predicate: (source) => ({
    test(batch) {
      const matched: number[] = [];
      const failed: { index: number; error: unknown }[] = [];
      for (let index = 0; index < batch.length; index++) {
        const text = Buffer.from(batch.payload(index)).toString();
        if (text.includes("broken")) failed.push({ index, error: new Error(`cannot read ${text}`) });
        else if (!text.includes(source)) matched.push(index);
      }
      return { matched: Uint32Array.from(matched), failed };
    },
  }),
  evaluator: () => {
    throw new Error("not needed here");
  },
  computation: () => {
    throw new Error("not needed here");
  },
};

export const fakeExpressions: Plugin = definePlugin({
  name: "fake-expressions",
  apiVersion: API_VERSION,
  expressions: fakeCompiler,
});
