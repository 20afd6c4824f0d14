// The parts of kafkajs that have no types of their own. What is used of them stands in driver.ts.
declare module "kafkajs/src/network/connection.js" {
  const Connection: unknown;
  export default Connection;
}
declare module "kafkajs/src/protocol/requests/index.js" {
  const requests: unknown;
  export default requests;
}
declare module "kafkajs/src/protocol/requests/apiKeys.js" {
  const apiKeys: unknown;
  export default apiKeys;
}
