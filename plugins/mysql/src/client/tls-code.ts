/** What Node calls the failures of a handshake, by the texts of OpenSSL. */
const CODES: Readonly<Record<string, string>> = {
  "self-signed certificate": "DEPTH_ZERO_SELF_SIGNED_CERT",
  "self-signed certificate in certificate chain": "SELF_SIGNED_CERT_IN_CHAIN",
  "unable to verify the first certificate": "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "unable to get issuer certificate": "UNABLE_TO_GET_ISSUER_CERT",
  "unable to get local issuer certificate": "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "certificate has expired": "CERT_HAS_EXPIRED",
  "certificate is not yet valid": "CERT_NOT_YET_VALID",
};

/** Gives the error of a handshake its code back, which mysql2 3.24 writes over with `HANDSHAKE_SSL_ERROR`. */
export function withTlsCode(error: unknown): unknown {
  const { code, message, reason } = error as { code?: unknown; message?: string; reason?: unknown };
  if (code !== "HANDSHAKE_SSL_ERROR" || message === undefined) return error;
  return Object.assign(new Error(message, { cause: error }), { code: codeOf(message, reason), reason });
}

function codeOf(message: string, reason: unknown): string {
  if (/does not match certificate's altnames/.test(message)) return "ERR_TLS_CERT_ALTNAME_INVALID";
  const known = CODES[message];
  if (known !== undefined) return known;
  // As Node makes them: the reason of OpenSSL in capitals.
  return typeof reason === "string" ? `ERR_SSL_${reason.toUpperCase().replaceAll(/\W+/g, "_")}` : "HANDSHAKE_SSL_ERROR";
}
