import type { SchemeDefinition } from "@mqb/core/plugin";
import { paramsOf, refuseBody } from "./params.ts";

/** `null:` */
export const nullScheme: SchemeDefinition = {
  endpoint: "null",
  ownParams: true,
  config(uri) {
    refuseBody(uri);
    paramsOf(uri, []);
    return {};
  },
  uri: () => ({ scheme: "null", body: "", params: [] }),
};
