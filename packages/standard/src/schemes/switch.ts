import type { EndpointUri, SchemeDefinition } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { refused, uriOf } from "./branches.ts";
import { refuseBody } from "./params.ts";

const CASE = "case.";
const KNOWN = ["metadata_key", "case.VALUE", "default", "when", "to"];

/** `switch:?metadata_key=K&case.V=URI&default=URI`, or `switch:?when=EXPR&to=URI&when=…&to=…&default=URI`. */
export const switchScheme: SchemeDefinition = {
  endpoint: "switch",
  ownParams: true,
  config(uri) {
    refuseBody(uri);
    const { key, cases, when, other } = read(uri);
    const byValue = key !== undefined || cases.length > 0;
    if (byValue && when.length > 0) throw refused(uri, "it takes ?metadata_key= with case.VALUE=, or ?when=, not both");
    if (!byValue && when.length === 0) throw refused(uri, "it needs ?metadata_key= with case.VALUE=, or ?when=");
    if (byValue && key === undefined) throw refused(uri, "case.VALUE= needs ?metadata_key=");
    if (byValue && cases.length === 0) throw refused(uri, "it needs at least one case.VALUE=");
    return {
      ...(byValue ? { metadata_key: key, cases: Object.fromEntries(cases) } : { when }),
      ...(other === undefined ? {} : { default: other }),
    };
  },
  uri(config) {
    const { metadata_key: key, cases, when, default: other } = config as Written;
    const params: (readonly [string, unknown])[] = [
      ...(key == null ? [] : [["metadata_key", key] as const]),
      ...Object.entries(cases ?? {}).map(([value, to]) => [CASE + value, to] as const),
      ...(when ?? []).flatMap((one) => [["when", one.if] as const, ["to", one.to] as const]),
      ...(other === undefined ? [] : [["default", other] as const]),
    ];
    return uriOf("switch", params);
  },
};

interface Written {
  readonly metadata_key?: unknown;
  readonly cases?: Readonly<Record<string, unknown>> | null;
  readonly when?: readonly { readonly if: unknown; readonly to: unknown }[] | null;
  readonly default?: unknown;
}

interface Read {
  key?: string;
  readonly cases: [string, string][];
  readonly when: { if: string; to: string }[];
  other?: string;
}

function read(uri: EndpointUri): Read {
  const found: Read = { cases: [], when: [] };
  let open: string | undefined;
  for (const [name, value] of uri.params) {
    if (open !== undefined && name !== "to") break;
    if (name === "when") open = value;
    else if (name === "to") {
      if (open === undefined) throw refused(uri, "a to= has no when= before it");
      found.when.push({ if: open, to: value });
      open = undefined;
    } else if (name === "metadata_key") found.key = value;
    else if (name === "default") found.other = value;
    else if (name.startsWith(CASE)) found.cases.push([name.slice(CASE.length), value]);
    else throw errors.SCHEME_PARAM({ scheme: uri.scheme, param: name, known: KNOWN });
  }
  if (open !== undefined) throw refused(uri, "a when= is not followed by its to=");
  return found;
}
