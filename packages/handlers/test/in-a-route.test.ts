import { Message } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import * as z from "zod";
import { command, event, handlerByKind, jsonMessage } from "../src/index.ts";
import { through } from "./setup.ts";

it("a command publishes, an event acknowledges, and what does not fit is dropped and counted", async () => {
  const seen: number[] = [];
  const handler = handlerByKind({
    double: command(z.object({ n: z.number() }), ({ n }) => ({ n: 2 * n })),
    note: event(z.object({ n: z.number() }), ({ n }) => void seen.push(n)),
  });
  const sent = [
    jsonMessage({ n: 1 }, { kind: "double" }),
    jsonMessage({ n: 2 }, { kind: "note" }),
    jsonMessage({ n: "3" }, { kind: "double" }),
    new Message("no json", new Map([["kind", "note"]])),
    jsonMessage({ n: 5 }, { kind: "double" }),
  ];
  const { result, out } = await through({ handler, limit: 3 }, sent);
  expect(out.map((message) => message.text())).toEqual(['{"n":2}', '{"n":10}']);
  expect(seen).toEqual([2]);
  expect(result.accounting).toMatchObject({ received: 5, delivered: 3, dropped: 2 });
  expect(result.drops.map(({ code }) => code).sort()).toEqual(["MQB_HANDLERS_INVALID", "MQB_HANDLERS_NOT_JSON"]);
});
