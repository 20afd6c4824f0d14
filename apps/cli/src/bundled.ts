// What the bundle offers to whoever loads it.
export { runProcess } from "./process.ts";
export { staticTexts } from "./static-texts.ts";
