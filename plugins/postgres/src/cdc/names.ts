import { type ChangeNames, changeNames } from "@mqb/sql";
import { formatLsn } from "./server/lsn.ts";

export const NAMES: ChangeNames = changeNames("postgres", "lsn", "slot", formatLsn);
