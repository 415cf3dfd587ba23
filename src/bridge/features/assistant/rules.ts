/** What chat's assistant pane offers to press (B61); pressing it says its `message` there. */
export interface Prompt {
  title: string;
  message: string;
}

/** What a message in the pane asks of the bot itself, rather than of the help desk. */
export type Question = { asks: 'request' | 'mine' | 'help' } | { asks: 'search'; words: string };

/** At most four (https://docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts). */
export const PROMPTS = [
  { title: 'Open a request', message: 'I want to open a request' },
  { title: 'See my open requests', message: 'Show my open requests' },
  { title: 'Search tickets', message: 'Search tickets' },
  { title: 'See what else I can do', message: 'What else can I do here?' },
] as const satisfies readonly Prompt[];

const ASKS: ReadonlyMap<string, Question> = new Map([
  [said(PROMPTS[0].message), { asks: 'request' }],
  [said(PROMPTS[1].message), { asks: 'mine' }],
  [said(PROMPTS[2].message), { asks: 'search', words: '' }],
  [said(PROMPTS[3].message), { asks: 'help' }],
]);

/** Undefined for any other words: those are a request. With the colon, for a request may well begin with “search”. */
export function questionIn(words: string): Question | undefined {
  const [, searched] = /^search:\s*(.*)$/is.exec(words) ?? [];
  return searched === undefined ? ASKS.get(said(words)) : { asks: 'search', words: searched };
}

function said(words: string): string {
  return words
    .toLowerCase()
    .replace(/[\s.!?]+$/, '')
    .trim();
}
