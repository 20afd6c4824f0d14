const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Shows control characters as escapes: a foreign text must not move the cursor of a terminal, nor pose as a line of its own. */
export function printable(text: string): string {
  return text.replace(CONTROL, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
