import { fakeContext } from "@mqb/testkit";
import { expect, it } from "vitest";
import plugin from "../src/index.ts";

it.each(["/dev/stdin", "rows.txt"])(
  "what is nacked to %s is declared to come again, also in a subscription",
  (path) => {
    const { definition } = { definition: plugin.endpoints!["file"]! };
    const context = { ...fakeContext(), draining: false, middlewares: [], children: [] };
    const config = { path, format: "raw", ...(path === "/dev/stdin" ? {} : { mode: "subscribe" }) };
    const capabilities = definition.input!.capabilities(config as never, context as never);
    expect(capabilities).toMatchObject({ acknowledges: false, takesBack: true });
  },
);
