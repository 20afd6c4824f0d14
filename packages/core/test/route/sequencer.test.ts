import { expect, it } from "vitest";
import { Sequencer } from "../../src/route/sequencer.ts";

it("lets numbers pass in order, whatever the order of their coming", async () => {
  const sequencer = new Sequencer();
  const passed: number[] = [];
  const task = async (number: number): Promise<void> => {
    const turn = sequencer.enter(number);
    if (turn) await turn;
    passed.push(number);
    sequencer.leave(number);
  };
  await Promise.all([3, 1, 0, 2, 4].map(task));
  expect(passed).toEqual([0, 1, 2, 3, 4]);
});

it("makes no promise for the one in turn", () => {
  const sequencer = new Sequencer();
  expect(sequencer.enter(0)).toBeUndefined();
  expect(sequencer.enter(1)).toBeInstanceOf(Promise);
});

it("refuses to be left by one that was not in turn", () => {
  expect(() => new Sequencer().leave(1)).toThrow("1 left out of turn 0");
});
