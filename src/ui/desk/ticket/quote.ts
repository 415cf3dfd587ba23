import type { Edit } from './text-edits.ts';

/** A message that is quoted in the one that is being written. */
export interface Quote {
  /** Its text, in Markdown. */
  content: string;
  /** An internal note: what quotes it is one too. */
  isPrivate: boolean;
}

/** Puts a text as a quote on lines of its own after `at`, and the caret below it. */
export function quoted(value: string, at: number, text: string): Edit {
  const before = value.slice(0, at);
  const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  const lines = text
    .trim()
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`));
  const inserted = `${gap}${lines.join('\n')}\n\n`;
  const caret = at + inserted.length;
  return { from: at, to: at, text: inserted, selectFrom: caret, selectTo: caret };
}
