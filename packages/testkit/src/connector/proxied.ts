import { FaultProxy } from "../proxy/fault-proxy.ts";
import type { ConnectorLab } from "./lab.ts";
import type { SideConfigs } from "./types.ts";

/** A proxy before the fixture's server. */
export function proxyOf(lab: ConnectorLab): Promise<FaultProxy> {
  return FaultProxy.to(lab.tested.fixture.server!);
}

/** The configurations of the test's place through the proxy. */
export function via(lab: ConnectorLab, proxy: FaultProxy): SideConfigs {
  if (!lab.place.via) throw new TypeError("a fixture with a `server` gives places with `via`");
  return lab.place.via(proxy.address);
}
