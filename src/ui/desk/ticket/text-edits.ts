/** Maximum lengths of a ticket's texts in characters; that of a message is Slack's. */
export const MAX_CHARACTERS = { title: 500, description: 100_000, message: 40_000 };

/** An edit of a text field: `text` replaces the range, then another range is selected. */
export interface Edit {
  from: number;
  to: number;
  text: string;
  selectFrom: number;
  selectTo: number;
}

/** Puts a mark (`**`, `_`) on both sides of the selection, or removes it if it is there. */
export function toggleMark(value: string, from: number, to: number, sign: string): Edit {
  const length = sign.length;
  const isAround = value.slice(from - length, from) === sign && value.slice(to, to + length) === sign;
  const selected = value.slice(from, to);
  if (isAround)
    return {
      from: from - length,
      to: to + length,
      text: selected,
      selectFrom: from - length,
      selectTo: to - length,
    };
  return {
    from,
    to,
    text: `${sign}${selected}${sign}`,
    selectFrom: from + length,
    selectTo: to + length,
  };
}

/** Formats the selection as code: inline, or as a block, on lines of its own, if it has several lines. */
export function toggleCode(value: string, from: number, to: number): Edit {
  const selected = value.slice(from, to);
  if (!selected.includes('\n')) return toggleMark(value, from, to, '`');
  const isAtLineStart = from === 0 || value[from - 1] === '\n';
  const isAtLineEnd = to === value.length || value[to] === '\n';
  const opening = `${isAtLineStart ? '' : '\n'}\`\`\`\n`;
  const text = `${opening}${selected}\n\`\`\`${isAtLineEnd ? '' : '\n'}`;
  const selectFrom = from + opening.length;
  return { from, to, text, selectFrom, selectTo: selectFrom + selected.length };
}

/** Turns the selected lines into list items, or back if all of them are. */
export function toggleList(value: string, from: number, to: number): Edit {
  const start = from === 0 ? 0 : value.lastIndexOf('\n', from - 1) + 1;
  const next = value.indexOf('\n', to);
  const end = next < 0 ? value.length : next;
  const lines = value.slice(start, end).split('\n');
  const isList = lines.every((line) => line.startsWith('- '));
  const text = lines.map((line) => (isList ? line.slice(2) : `- ${line}`)).join('\n');
  return { from: start, to: end, text, selectFrom: start + text.length, selectTo: start + text.length };
}

/** Turns the selection into a link: it becomes the link's address if it is a URL, else its text. */
export function insertLink(value: string, from: number, to: number, placeholder: string): Edit {
  const selected = value.slice(from, to);
  const isAddress = /^https?:\/\/\S+$/.test(selected);
  const label = isAddress || !selected ? placeholder : selected;
  const address = isAddress ? selected : 'https://';
  const text = `[${label}](${address})`;
  // The part that the user has yet to write is selected.
  const isLabelMissing = isAddress || !selected;
  const selectFrom = isLabelMissing ? from + 1 : from + label.length + 3;
  return { from, to, text, selectFrom, selectTo: selectFrom + (isLabelMissing ? label : address).length };
}

/** Returns the edit of a text for its selected range. */
export type MakeEdit = (value: string, from: number, to: number) => Edit;

/** Replaces a range by a text, with the caret behind it. */
export const replaceRange = (text: string, from: number, to: number): Edit => ({
  from,
  to,
  text,
  selectFrom: from + text.length,
  selectTo: from + text.length,
});

export type Trigger = '@' | ':' | '/';

/** The text before the caret for which suggestions are shown: `@mir`, `:tad`, `/vpn`. */
export interface Token {
  trigger: Trigger;
  words: string;
  from: number;
  to: number;
}

/**
 * Returns the token before the caret; undefined if there is none. After a colon a letter is required, so that a plain
 * colon opens no suggestions.
 * @param colonAt the position of a colon that opens them without a letter.
 */
export function tokenAt(value: string, caret: number, colonAt?: number): Token | undefined {
  const [, trigger, words = ''] = /(?:^|[\s(])([@:/])([\p{L}\p{N}_+.-]*)$/u.exec(value.slice(0, caret)) ?? [];
  const from = caret - words.length - 1;
  if (!trigger || (trigger === ':' && from !== colonAt && !/^[a-z+-]/i.test(words))) return undefined;
  return { trigger: trigger as Trigger, words, from, to: caret };
}
