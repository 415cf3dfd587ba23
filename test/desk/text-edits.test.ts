import { describe, expect, test } from 'vitest';

import {
  type Edit,
  insertLink,
  type MakeEdit,
  toggleCode,
  toggleList,
  toggleMark,
} from '../../src/ui/desk/ticket/text-edits.ts';

const bold: MakeEdit = (text, from, to) => toggleMark(text, from, to, '**');
const link: MakeEdit = (text, from, to) => insertLink(text, from, to, 'text');

/** A text with its selection in brackets `⟨…⟩`. */
function edited(marked: string, make: MakeEdit): string {
  const from = marked.indexOf('⟨');
  const to = marked.indexOf('⟩') - 1;
  const value = marked.replace(/[⟨⟩]/g, '');
  const edit: Edit = make(value, from, to);
  const text = value.slice(0, edit.from) + edit.text + value.slice(edit.to);
  return `${text.slice(0, edit.selectFrom)}⟨${text.slice(edit.selectFrom, edit.selectTo)}⟩${text.slice(edit.selectTo)}`;
}

describe('formatting keeps the selection on what was formatted, and a second time undoes it', () => {
  test.each<[string, MakeEdit, string, string]>([
    ['bold', bold, 'a ⟨b⟩ c', 'a **⟨b⟩** c'],
    ['bold without a selection', bold, 'a ⟨⟩', 'a **⟨⟩**'],
    ['inline code', toggleCode, 'run ⟨ls⟩ now', 'run `⟨ls⟩` now'],
  ])('%s', (_name, make, before, after) => {
    expect(edited(before, make)).toBe(after);
    expect(edited(after, make)).toBe(before);
  });
});

describe('a block of code begins and ends on lines of its own', () => {
  test.each([
    ['whole lines', '⟨a\nb⟩', '```\n⟨a\nb⟩\n```'],
    ['between other lines', 'x\n⟨a\nb⟩\ny', 'x\n```\n⟨a\nb⟩\n```\ny'],
    ['from the middle of a line to that of another', 'see a⟨b\nc⟩d', 'see a\n```\n⟨b\nc⟩\n```\nd'],
  ])('%s', (_name, before, after) => {
    expect(edited(before, toggleCode)).toBe(after);
  });
});

describe('a list takes whole lines', () => {
  test.each([
    ['the lines of the selection', 'a\nb⟨b\nc⟩c\nd', 'a\n- bb\n- cc⟨⟩\nd'],
    ['a list is one no more', '- ⟨a\n- b⟩', 'a\nb⟨⟩'],
    ['an empty first line', '⟨⟩\nb', '- ⟨⟩\nb'],
  ])('%s', (_name, before, after) => {
    expect(edited(before, toggleList)).toBe(after);
  });
});

describe('a link selects the part that is still to be written', () => {
  test.each([
    ['the address of a text', 'see ⟨the docs⟩', 'see [the docs](⟨https://⟩)'],
    ['the text of an address', 'see ⟨https://x.example⟩', 'see [⟨text⟩](https://x.example)'],
    ['the text without a selection', 'see ⟨⟩', 'see [⟨text⟩](https://)'],
  ])('%s', (_name, before, after) => {
    expect(edited(before, link)).toBe(after);
  });
});
