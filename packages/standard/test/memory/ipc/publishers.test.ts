import { once } from "node:events";
import { codeOf, kindOf } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { IpcPublisher } from "../../../src/memory/ipc/publisher.ts";
import { NEVER } from "../../opened.ts";
import { failure, Socketed, settle, text } from "./setup.ts";

describe("publishers", () => {
  it("may be many, and all are read at once", async () => {
    await using at = await Socketed.make();
    const consumer = await at.consumer();
    const publishers = await Promise.all([at.publisher(), at.publisher(), at.publisher()]);
    for (let round = 0; round < 3; round++) {
      await Promise.all(publishers.map((publisher, i) => publisher.send(text(`${i}`), NEVER)));
      expect((await settle(consumer, 3)).sort()).toEqual(["0", "1", "2"]);
    }
    expect(consumer.status?.()).toMatchObject({ healthy: true, details: { mode: "transport", connections: 3 } });
  });

  it("keep their order", async () => {
    await using at = await Socketed.make();
    const consumer = await at.consumer();
    const publisher = await at.publisher();
    const sends = Array.from({ length: 50 }, (_, i) => publisher.send(text(`${i}a`, `${i}b`), NEVER));
    await Promise.all(sends);
    expect(await settle(consumer, 100)).toEqual(Array.from({ length: 50 }, (_, i) => [`${i}a`, `${i}b`]).flat());
  });

  it("find nobody before there is a consumer, and say so", async () => {
    await using at = await Socketed.make();
    expect(await failure(at.publisher())).toBe("MQB_STANDARD_IPC_UNREACHABLE");
    const deaf = await at.deaf();
    const moved = once(deaf.server, "close");
    deaf.server.close();
    await moved;
    expect(await failure(at.publisher())).toBe("MQB_STANDARD_IPC_UNREACHABLE");
  });

  it("leave their last message behind when they close at once", async () => {
    await using at = await Socketed.make();
    const consumer = await at.consumer();
    for (let round = 0; round < 20; round++) {
      const publisher = await at.publisher();
      await publisher.send(text(`last ${round}`), NEVER);
      await publisher.close();
    }
    expect((await settle(consumer, 20)).sort()).toEqual(Array.from({ length: 20 }, (_, i) => `last ${i}`).sort());
  });
});

it("a batch that is larger than a frame may be is divided; what fits into none is refused for good, by position", async () => {
  await using at = await Socketed.make();
  const consumer = await at.consumer();
  const address = { url: at.url, kind: "path", path: at.path } as const;
  const publisher = await IpcPublisher.connect(address, at.context(), { limit: 200 });
  const large = "x".repeat(200);
  const list = ["a", "b", large, "c", "d", "e", large, "f"];
  const outcomes = await publisher.send(text(...list), NEVER);
  expect(outcomes?.map((outcome) => outcome.type)).toEqual(list.map((one) => (one === large ? "failed" : "accepted")));
  const refused = outcomes![2]!;
  if (refused.type !== "failed") expect.unreachable();
  else
    expect([codeOf(refused.error), kindOf(refused.error, "retryable")]).toEqual([
      "MQB_STANDARD_IPC_TOO_LARGE",
      "permanent",
    ]);
  expect((await publisher.send(text(large), NEVER))?.map((outcome) => outcome.type)).toEqual(["failed"]);
  expect(await settle(consumer, 6)).toEqual(["a", "b", "c", "d", "e", "f"]);
  await publisher.close();
});
