/**
 * White space, controls, and characters that are drawn as nothing: joiners, direction marks, fillers, empty Braille.
 */
const BLANK = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]*$/u;

/** Returns whether nothing of a text would be seen. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Returns a text without white space around it; empty if nothing of it would be seen. */
export function trimmed(text: string): string {
  return isBlank(text) ? '' : text.trim();
}
