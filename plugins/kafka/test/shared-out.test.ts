import { systemClock } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import type { KafkaClient } from "../src/client/client.ts";
import { decodeAssignment, encodeSubscription } from "../src/consumer/assignment.ts";
import { Membership } from "../src/consumer/membership.ts";
import { consumerOptions } from "../src/options/consumer.ts";

it("shares out the topics of all members, and what it has counted before when a broker does not know a topic", async () => {
  const known = new Map([
    ["mine", { error: 0, leaders: [1, 1] }],
    ["theirs", { error: 0, leaders: [1] }],
  ]);
  let shares: { readonly memberId: string; readonly memberAssignment: Buffer }[] = [];
  const members = [
    { memberId: "a", memberMetadata: encodeSubscription(["mine"]) },
    { memberId: "b", memberMetadata: encodeSubscription(["theirs", "nobody knows it"]) },
    { memberId: "c", memberMetadata: Buffer.from([0, 0, 0, 0, 0, 1, 0]) },
  ];
  const coordinator = {
    isLost: false,
    request: async (name: string, call: { groupAssignment: typeof shares }) => {
      if (name === "JoinGroup")
        return { errorCode: 0, generationId: 1, groupProtocol: "range", leaderId: "a", memberId: "a", members };
      shares = call.groupAssignment;
      return { errorCode: 0, memberAssignment: null };
    },
  };
  const client = {
    clock: systemClock,
    coordinator: async () => coordinator,
    topics: async (names: readonly string[]) =>
      new Map(names.map((name) => [name, known.get(name) ?? { error: 3, leaders: [] }])),
  } as unknown as KafkaClient;
  const membership = new Membership(client, {
    topics: ["mine"],
    groupId: "g",
    options: consumerOptions(null).options,
    session: new Map(),
    signal: new AbortController().signal,
    failed: () => {},
    turned: () => {},
  });
  const shared = async () => {
    await membership.join();
    return shares.map(({ memberId, memberAssignment }) => [memberId, [...decodeAssignment(memberAssignment)]]);
  };
  const whole = [
    ["a", [["mine", [0, 1]]]],
    ["b", [["theirs", [0]]]],
    ["c", []],
  ];
  expect(await shared()).toEqual(whole);
  known.clear();
  expect(await shared()).toEqual(whole);
});
