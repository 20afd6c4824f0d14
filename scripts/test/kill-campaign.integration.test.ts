import { expect, it } from "vitest";
import { faults, killCampaign } from "../kill-campaign.mjs";

it.each(["SIGKILL", "SIGTERM"] as const)(
  "a file route that is sent %s again and again loses no row",
  async (signal) => {
    const result = await killCampaign({ rounds: 12, signal, seed: 3 });
    expect(faults(result), JSON.stringify(result)).toEqual([]);
  },
  120_000,
);
