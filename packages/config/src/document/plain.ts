const NULL = /^(?:~|null|Null|NULL)?$/;
const TRUE = /^(?:true|True|TRUE)$/;
const FALSE = /^(?:false|False|FALSE)$/;
const INTEGER = /^[-+]?\d+$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;

/** What a text without quotes means in YAML 1.2 where no field says what it takes: nothing, true, false, a number, or itself. */
export function guessPlain(text: string): string | number | boolean | null {
  if (NULL.test(text)) return null;
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  if (INTEGER.test(text) || FLOAT.test(text)) return Number(text);
  return text;
}
