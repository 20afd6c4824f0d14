/** What the codes of problems mean that the websocket endpoint finds in a configuration; for the reference. */
export const problemCodes = {
  MQB_WEBSOCKET_PATH_TWICE: "a `path` beside an address that holds another one",
};
