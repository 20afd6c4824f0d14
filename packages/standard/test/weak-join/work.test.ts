import { batchOf } from "@mqb/core/plugin";
import { expect, it, vi } from "vitest";
import { weakJoinSchema } from "../../src/weak-join/config.ts";
import { Groups } from "../../src/weak-join/groups.ts";
import { message } from "./setup.ts";

it.each([
  ["by number", {}],
  ["by branches", { branch_by: "src" }],
  ["by required branches", { branch_by: "src", required: ["last", "0"] }],
])("a message of a large group costs what one of a small group does, %s", (_, more) => {
  const size = 2_000;
  const settings = weakJoinSchema.parse({ group_by: "g", expected_count: size + 1, timeout_ms: 1_000, ...more });
  const batch = batchOf(Array.from({ length: size }, (_, n) => message("x", "1", { src: String(n) })));
  const groups = new Groups(settings);
  const works = [vi.spyOn(Set.prototype, "add"), vi.spyOn(Set.prototype, "has"), vi.spyOn(Array.prototype, "map")];
  for (let i = 0; i < size; i++) groups.add(batch.at(i), 0, undefined, i);
  const calls = works.map((work) => work.mock.calls.length);
  vi.restoreAllMocks();
  expect(Math.max(...calls)).toBeLessThanOrEqual(3 * size);
  expect(groups.messages).toBe(size);
});
