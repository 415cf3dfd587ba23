import { shortenAtWord } from '../../contract/index.ts';
import { shortenMarkdown } from '../../platform/text/shorten-markdown.ts';
import { sanitizeMarkdown, escapeText } from './sanitize-markdown.ts';
import type { AnswerProvider, Passage } from './provider.ts';

/** Characters quoted, by the personality's `length`. */
const QUOTED = { short: 600, medium: 1_200, long: 2_400 } as const;

/** Quotes the best passage if it is likely enough; nothing leaves the machine. */
export const fromKnowledge: AnswerProvider = {
  name: 'knowledge',
  answer: async ({ agent, passages }) => {
    const [best] = passages;
    if (!best?.isLikely) return undefined;
    return {
      text: [intro(best), '', quoted(best.text, charactersFor(agent.personality?.length))].join('\n'),
      sources: [best],
    };
  },
};

function intro({ kind, title }: Passage): string {
  return kind === 'document' ? `“${escapeText(title)}” says:` : 'This helped with a request like yours:';
}

function charactersFor(length: string | null | undefined): number {
  const words = length?.toLowerCase() ?? '';
  if (/short|brief|concise/.test(words)) return QUOTED.short;
  return /long|detail/.test(words) ? QUOTED.long : QUOTED.medium;
}

function quoted(text: string, characters: number): string {
  // The URLs of a knowledge base, or of the agent who solved a request, may be passed on.
  return sanitizeMarkdown(shortenMarkdown(text, characters, shortenAtWord), () => true).replaceAll(
    /^/gm,
    '> ',
  );
}
