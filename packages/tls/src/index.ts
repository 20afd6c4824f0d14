export { checkTls } from "./check.ts";
export { type TlsConfig, type TlsRole, tlsSchema } from "./config.ts";
export { errors as tlsErrors } from "./errors.ts";
export { tlsFailure } from "./failure.ts";
export { readTls, type TlsMaterial, type TlsPlace } from "./material.ts";
