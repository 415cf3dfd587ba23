import { sanitizeMarkdown, escapeText } from './sanitize-markdown.ts';
import type { PromptContext, GeneratedAnswer, Passage } from './provider.ts';

/** Maximum number of sources named below an answer. */
const SOURCES_SHOWN = 3;

/** Returns the message: greeting (once per ticket), answer, sources, how to reach a person, branding. */
export function compose(
  { agent: { personality }, isFirst, handsOver }: PromptContext,
  { text, sources }: GeneratedAnswer,
): string {
  const own = (words: string | null | undefined) =>
    words?.trim() ? sanitizeMarkdown(words, () => true) : undefined;
  return [
    isFirst ? own(personality?.greeting) : undefined,
    text,
    sources.length > 0
      ? `Source${sources.length > 1 ? 's' : ''}: ${sources.slice(0, SOURCES_SHOWN).map(linked).join(' · ')}`
      : undefined,
    handsOver ? 'Didn’t help? Press 👎 and we’ll bring in a person.' : undefined,
    own(personality?.branding),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n');
}

function linked({ title, url }: Passage): string {
  const label = escapeText(title);
  return url && /^https?:\/\/[^\s<>()]+$/.test(url) ? `[${label.replaceAll(/[[\]]/g, '')}](${url})` : label;
}
