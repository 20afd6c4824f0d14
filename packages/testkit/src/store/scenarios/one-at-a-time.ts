import { ok, rejects } from "node:assert/strict";
import { isMqbError } from "@mqb/core/plugin";
import type { StoreScenario } from "../types.ts";

export const oneAtATime: readonly StoreScenario[] = [
  {
    name: "a second handle is refused with a coded error while the first is open",
    leftOut: ({ exclusive }) => (exclusive ? undefined : "several handles may be open"),
    async run(lab) {
      const first = await lab.open();
      await rejects(lab.open(), (error) => {
        ok(isMqbError(error), `not an mqb error: ${error}`);
        return true;
      });
      await first.close();
      await lab.open();
    },
  },
];
