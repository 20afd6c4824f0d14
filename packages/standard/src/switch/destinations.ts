import type { ChildEndpoint } from "@mqb/core/plugin";
import type { SwitchSettings } from "./config.ts";

/** The destinations in the order of the configuration, the default last. Routers name them by their position here. */
export function destinationsOf({ cases, when, default: other }: SwitchSettings): ChildEndpoint[] {
  const side = "output";
  return [
    ...Object.entries(cases ?? {}).map(
      ([value, endpoint]): ChildEndpoint => ({ path: ["cases", value], side, endpoint }),
    ),
    ...(when ?? []).map(({ to }, index): ChildEndpoint => ({ path: `when[${index}].to`, side, endpoint: to })),
    ...(other === undefined ? [] : [{ path: "default", side, endpoint: other } as const]),
  ];
}
