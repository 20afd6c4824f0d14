/** The text without blanks (Unicode's White_Space) around it. By hand: a pattern would look at runs of blanks again and again. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 9 && code <= 13);
  if (code < 0x85) return false;
  if (code === 0x85 || code === 0xa0 || code === 0x1680) return true;
  return (code >= 0x2000 && code <= 0x200a) || [0x2028, 0x2029, 0x202f, 0x205f, 0x3000].includes(code);
}
