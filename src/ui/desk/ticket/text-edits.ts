/** The most characters that a text of a ticket may have; a message as many as Slack takes. */
export const MOST_CHARACTERS = { title: 500, description: 100_000, message: 40_000 };

/** A change of a text field: what replaces the range, and what is selected afterwards. */
export interface Edit {
  from: number;
  to: number;
  text: string;
  selectFrom: number;
  selectTo: number;
}

/** Puts signs around the selection, or takes them away if they are there. */
export function wrapped(value: string, from: number, to: number, sign: string): Edit {
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

/** Code within a line; a block for several lines. */
export function asCode(value: string, from: number, to: number): Edit {
  const selected = value.slice(from, to);
  if (!selected.includes('\n')) return wrapped(value, from, to, '`');
  const text = `\`\`\`\n${selected}\n\`\`\``;
  return { from, to, text, selectFrom: from + 4, selectTo: from + 4 + selected.length };
}

/** Each selected line as an item of a list, or back. */
export function asList(value: string, from: number, to: number): Edit {
  const start = value.lastIndexOf('\n', from - 1) + 1;
  const next = value.indexOf('\n', to);
  const end = next < 0 ? value.length : next;
  const lines = value.slice(start, end).split('\n');
  const isList = lines.every((line) => line.startsWith('- '));
  const text = lines.map((line) => (isList ? line.slice(2) : `- ${line}`)).join('\n');
  return { from: start, to: end, text, selectFrom: start + text.length, selectTo: start + text.length };
}

/** A link with the selection as its text, or as its address if it is one. */
export function asLink(value: string, from: number, to: number, placeholder: string): Edit {
  const selected = value.slice(from, to);
  const isAddress = /^https?:\/\/\S+$/.test(selected);
  const label = isAddress || !selected ? placeholder : selected;
  const address = isAddress ? selected : 'https://';
  const text = `[${label}](${address})`;
  const at = isAddress || !selected ? from + 1 : from + label.length + 3;
  return { from, to, text, selectFrom: at, selectTo: at + (isAddress || !selected ? label : address).length };
}

/** Applies a change so that the browser's own undo takes it back. */
export function applyEdit(field: HTMLTextAreaElement, edit: Edit): void {
  field.focus();
  field.setSelectionRange(edit.from, edit.to);
  // The only way to change a field that keeps its undo history.
  if (!document.execCommand(edit.text ? 'insertText' : 'delete', false, edit.text)) {
    field.setRangeText(edit.text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
  field.setSelectionRange(edit.selectFrom, edit.selectTo);
}

/** Makes a change of a text of which a range is selected. */
export type MakeEdit = (value: string, from: number, to: number) => Edit;

/** Changes a field around what is selected in it. */
export function editSelection(field: HTMLTextAreaElement | null, make: MakeEdit): void {
  if (field) applyEdit(field, make(field.value, field.selectionStart, field.selectionEnd));
}

/** A text in place of a range, with the caret behind it. */
export const putIn = (text: string, from: number, to: number): Edit => ({
  from,
  to,
  text,
  selectFrom: from + text.length,
  selectTo: from + text.length,
});

export type Trigger = '@' | ':' | '/';

/** What is being typed for a suggestion: `@mir`, `:tad`, `/vpn`. */
export interface Token {
  trigger: Trigger;
  words: string;
  from: number;
  to: number;
}

/**
 * The suggestion that is being typed before the caret, if any. A colon needs a letter, so that one at the end of a line
 * is none.
 * @param colonAt a colon that needs no letter.
 */
export function tokenAt(value: string, caret: number, colonAt?: number): Token | undefined {
  const [, trigger, words = ''] = /(?:^|[\s(])([@:/])([\p{L}\p{N}_+.-]*)$/u.exec(value.slice(0, caret)) ?? [];
  const from = caret - words.length - 1;
  if (!trigger || (trigger === ':' && from !== colonAt && !/^[a-z+-]/i.test(words))) return undefined;
  return { trigger: trigger as Trigger, words, from, to: caret };
}
