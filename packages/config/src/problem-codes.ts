import { lintCodes } from "./lint/codes.ts";

/** What the codes of problems mean that are found in the text of a configuration and at its top level; for the reference. */
export const problemCodes = {
  MQB_CONFIG_SYNTAX: "the text is not YAML, or not JSON in a .json file",
  MQB_CONFIG_DUPLICATE_KEY: "a key is written twice in one map",
  MQB_CONFIG_TOO_MUCH: "a text is too long, values are nested too deep, or aliases make too many of them",
  MQB_CONFIG_VARIABLE: "a variable is not set; the reference stays as written (a warning)",
  MQB_CONFIG_AMBIGUOUS: "`config` stands beside other keys at the top level",
  MQB_CONFIG_DUPLICATE_ROUTE: "two routes have the same name",
  MQB_CONFIG_UNKNOWN_KEY:
    "a key of the top level is neither a setting nor a route (a warning; an error where it seems to be a misspelt name for routes)",
  MQB_CONFIG_EMPTY: "there is no route (a warning)",
  MQB_CONFIG_INERT: "a setting is accepted, but nothing comes of it here (a note)",
  MQB_CONFIG_ENCRYPTED: "the configuration is encrypted",
  MQB_CONFIG_UNKNOWN_PUBLISHER: "a consumer names a publisher that is not there",
  MQB_CONFIG_OVERRIDE: "a variable MQB__… fits several keys (an error), or nothing that is known (a warning)",
  ...lintCodes,
} as const;
