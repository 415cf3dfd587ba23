import { isBlank } from '../../contract/index.ts';
import { plainContext } from '../blocks/kit.ts';
import { markdownToChat } from '../text/to-chat.ts';

/** Stands below a post that shows only the beginning of a text. */
export const SHORTENED = plainContext('Shortened; the ticket has all of it.');

/**
 * Returns the first message of a ticket's thread; below a text that is too long for one post it says so. Undefined for a
 * text without content.
 * @param chatUserOf who is mentioned in it; nobody by default.
 */
export function firstPost(
  markdown: string,
  chatUserOf: (userId: string) => string | undefined = () => undefined,
): { text: string; blocks: unknown[] } | undefined {
  if (isBlank(markdown)) return undefined;
  const [part, ...more] = markdownToChat(markdown, chatUserOf);
  return part && { text: part.text, blocks: [...part.blocks, ...(more.length > 0 ? [SHORTENED] : [])] };
}
