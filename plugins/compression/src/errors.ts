import { defineErrors, errorRow } from "@mqb/core/plugin";

/** Every error of this package; what is wrong with the data is said by the cause, an error of @mqb/formats. */
export const errors = defineErrors("MQB_COMPRESSION", {
  UNREADABLE: errorRow<{ id: string; algorithm: string }>({
    kind: "permanent",
    message: (p) =>
      `the payload of the message ${p.id} cannot be decompressed with compression.algorithm: ${p.algorithm}`,
    hint: "is the list of the input the mirror of the sender's? `on_error: drop` drops such messages",
  }),
});
