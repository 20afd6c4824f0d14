import { expect, it } from "vitest";
import { runCampaign } from "../src/campaign.ts";
import { fileToFile, fileToFileOnce } from "../src/pairs/file-to-file.ts";

it("a file route that is killed again and again, with its clock set, loses no row and changes no order", async () => {
  const { faults, hits } = await runCampaign(fileToFile, { rounds: 12, seed: 3, events: ["kill", "clock jump"] });
  expect(faults).toEqual([]);
  expect(hits).toBeGreaterThanOrEqual(6);
}, 120_000);

it("a file route that is asked to end again and again loses no row, and doubles none", async () => {
  const { faults, bound } = await runCampaign(fileToFile, { rounds: 12, seed: 3, events: ["terminate"] });
  expect({ faults, bound }).toEqual({ faults: [], bound: 0 });
}, 120_000);

it("a file route whose disk of remembered keys is full again and again loses no row", async () => {
  const options = { rounds: 6, seed: 3, events: ["kill", "state disk full"] as const };
  expect((await runCampaign(fileToFileOnce, options)).faults).toEqual([]);
}, 120_000);

it("a campaign finds a route that commits too early", async () => {
  const { tally, faults } = await runCampaign(fileToFile, {
    rounds: 8,
    seed: 3,
    events: ["kill"],
    fault: "commits-early",
  });
  expect(tally.lost).toBeGreaterThan(0);
  expect(faults).toContain(`${tally.lost} rows lost`);
}, 120_000);
