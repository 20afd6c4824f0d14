import type { Problem } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import { problem } from "./lint.ts";
import { type Subject, settingOf } from "./subject.ts";

/** Without a look at the certificate, anybody can be the server. */
export function certificates({ endpoints }: Subject): Problem[] {
  return endpoints.flatMap((one) => {
    const tls = settingOf(one, "tls");
    if (!isMap(tls) || tls["accept_invalid_certs"] !== true) return [];
    const path = [...one.path, "tls", "accept_invalid_certs"];
    const message = `tls.accept_invalid_certs of "${one.name}": whoever answers is taken for the server`;
    return [problem("warning", "MQB_LINT_CERTIFICATES", path, message, "name the server's CA in tls.ca_file instead")];
  });
}
