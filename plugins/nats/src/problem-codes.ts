/** What the codes of problems mean that the nats endpoint finds in a configuration; for the reference. */
export const problemCodes = {
  MQB_NATS_NO_EFFECT: "a field that does nothing beside another one",
};
