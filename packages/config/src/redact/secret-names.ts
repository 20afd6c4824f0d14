import { nearest } from "@mqb/core";

/** Words anywhere in a name; keys by what they are of; maps whose members are not known by name. */
const SECRET_NAME = new RegExp(
  [
    "password|passwd|passphrase|token|secret|credential|authorization|cookie|signature|apikey",
    "(?:^|_)(?:sig|pwd|auth|seed|(?:access|api|secret|private|shared|account|encryption|decrypt)_?keys?)$",
    "(?:^|_)(?:headers|basic_auth)$",
  ].join("|"),
);

/** Whether the value of a field or parameter of this name is to be hidden. `partition_key` and its like are not. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
  return SECRET_NAME.test(words);
}

const UNDESCRIBED = [
  "password",
  "passphrase",
  "cert_password",
  "token",
  "bearer_token",
  "session_token",
  "secret",
  "secret_key",
  "access_key",
  "api_key",
  "private_key",
  "key",
  "keys",
  "decrypt_keys",
  "username",
  "credentials",
  "authorization",
  "cookie",
];

/**
 * Whether the value of a field that no schema describes may be a secret: one of a plugin that is not installed, or one that
 * is misspelt. What is spelt nearly like the name of a secret counts, too.
 */
export function mayBeSecretName(name: string): boolean {
  return isSecretName(name) || nearest(name, UNDESCRIBED) !== undefined;
}
