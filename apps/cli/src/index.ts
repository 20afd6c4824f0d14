/** The mqb command, for programs that run it in their own process. */

export { cliErrors } from "./errors.ts";
export { EXIT } from "./exit.ts";
export { main, type Process } from "./main.ts";
