import { trimmed } from '../../contract/index.ts';

/** Returns a link's label in one line; empty if nothing of it would be seen, so that its address is shown instead. */
export function labelOf(text: string): string {
  return trimmed(text.replaceAll(/\s+/g, ' '));
}
