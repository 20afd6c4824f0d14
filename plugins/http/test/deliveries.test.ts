import { type Disposition, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { HttpDelivery } from "../src/source/delivery.ts";
import type { Entry } from "../src/source/entry.ts";

function entry(
  log: string[],
  name: string,
  settle: (disposition: Disposition | undefined) => Promise<void> | undefined,
) {
  const nothing = (): void => {};
  const spoil = (): void => void log.push(`spoilt ${name}`);
  const message = new Message(name);
  return {
    message,
    since: 0,
    isVoid: false,
    isPaced: false,
    accepted: nothing,
    refuse: nothing,
    settle,
    spoil,
  } satisfies Entry;
}

describe("the answers of one delivery", () => {
  it("are all written, also when one of them cannot be, and the commit waits for those that take time", async () => {
    const log: string[] = [];
    let write: () => void = () => {};
    const slow = new Promise<void>((resolve) => {
      write = resolve;
    });
    const delivery = new HttpDelivery(
      [
        entry(log, "a", () => {
          throw new Error("a header that is none");
        }),
        entry(log, "b", () => Promise.reject(new Error("later"))),
        entry(log, "c", () => slow.then(() => void log.push("written c"))),
        entry(log, "d", () => void log.push("written d") as undefined),
      ],
      () => true,
    );
    const commit = delivery.commit().then(() => log.push("committed"));
    expect(log).toEqual(["spoilt a", "written d"]);
    write();
    await commit;
    expect(log).toEqual(["spoilt a", "written d", "spoilt b", "written c", "committed"]);
  });
});
