import type { Finding } from "@mqb/core/plugin";
import type { TlsConfig, TlsRole } from "./config.ts";
import { errors } from "./errors.ts";

/**
 * What is wrong with a block before any file is read; for the `check` of an endpoint. `path` is where the block stands
 * in the endpoint's configuration. That a block has no effect, or trusts anybody, is said by the linter for all endpoints.
 */
export function checkTls(
  tls: TlsConfig | null | undefined,
  path: readonly (string | number)[],
  role: TlsRole,
): readonly Finding[] {
  const missing = missingHalf(tls, role);
  if (missing === undefined) return [];
  const { code, message } = errors.IDENTITY({ field: `tls.${missing.of}`, missing: `tls.${missing.needs}` });
  return [{ level: "error", path: [...path, missing.of], code, message, hint: missing.hint }];
}

interface Missing {
  readonly of: keyof TlsConfig;
  readonly needs: keyof TlsConfig;
  readonly hint: string;
}

/** The half of an identity that is not there. A listener cannot speak TLS without one. */
export function missingHalf(tls: TlsConfig | null | undefined, role: TlsRole): Missing | undefined {
  if (!tls) return undefined;
  if (tls.key_file && !tls.cert_file)
    return { of: "key_file", needs: "cert_file", hint: "name the certificate of the key" };
  if (tls.cert_file && !tls.key_file)
    return { of: "cert_file", needs: "key_file", hint: "name the key of the certificate" };
  if (role === "listener" && tls.required && !tls.cert_file) {
    return { of: "required", needs: "cert_file", hint: "name the certificate and the key that the listener shows" };
  }
  return undefined;
}
