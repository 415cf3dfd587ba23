// Slack's blocks in the forms that this app uses. What is mrkdwn here is escaped already.

import type {
  RichTextBlock,
  RichTextElement,
  ActionsBlock,
  ActionsBlockElement,
  Button,
  ContextBlock,
  InputBlock,
  KnownBlock,
  ModalView,
  PlainTextInput,
  SectionBlock,
} from '@slack/types';

import { shorten } from '../../contract/index.ts';

/** The contents of a message or an answer; notifications show the text only. */
export interface Drawn {
  text: string;
  blocks: KnownBlock[];
}

export const plain = (text: string) => ({ type: 'plain_text' as const, text });
export const mrkdwn = (text: string) => ({ type: 'mrkdwn' as const, verbatim: true, text });
export const section = (text: string): SectionBlock => ({ type: 'section', text: mrkdwn(text) });
export const context = (text: string): ContextBlock => ({ type: 'context', elements: [mrkdwn(text)] });
export const plainContext = (text: string): ContextBlock => ({ type: 'context', elements: [plain(text)] });

/** Rich text, which Slack shows unchanged, whatever it looks like. */
export const richWords = (text: string, style?: { bold?: true; italic?: true }): RichTextElement => ({
  type: 'text',
  text,
  ...optionalProperty('style', style),
});

/** A date in each reader's own time zone. */
export const richMoment = (at: Date): RichTextElement => ({
  type: 'date',
  timestamp: Math.floor(at.getTime() / 1000),
  format: '{date_short_pretty} {time}',
  fallback: `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
});

/** Returns rich text of one line or several. */
export function richLine(elements: RichTextElement[]): RichTextBlock {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

/** Returns a person's words as a quote. */
export const quoteBlock = (text: string): RichTextBlock => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_quote', elements: [richWords(text)] }],
});

/** Returns a person's words as a heading. */
export const headingBlock = (text: string): RichTextBlock => richLine([richWords(text, { bold: true })]);

/** Returns a property for an object's end; nothing for an empty value, which Slack refuses. */
export function optionalProperty<Key extends string, Value>(
  key: Key,
  value: Value | '' | null | undefined,
): { [Name in Key]?: Value } {
  const isEmpty = value === undefined || value === null || value === '';
  return (isEmpty ? {} : { [key]: value }) as { [Name in Key]?: Value };
}

/** @param blockId comes back with a press. */
export function actions(elements: ActionsBlockElement[], blockId?: string): ActionsBlock {
  return { type: 'actions', ...optionalProperty('block_id', blockId), elements };
}

export function button(
  action_id: string,
  text: string,
  value: string,
  style?: 'primary' | 'danger' | '',
): Button {
  return { type: 'button', action_id, value, text: plain(text), ...optionalProperty('style', style) };
}

/** https://docs.slack.dev/reference/block-kit/composition-objects/option-object */
const OPTION_TEXT = 75;

/** Returns a menu option. */
export function optionOf({ id, label }: { id: string; label: string }) {
  return { text: plain(shorten(label, OPTION_TEXT)), value: id };
}

/** https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
export const INPUT_CHARACTERS = 3_000;

/** Returns a required field for several lines of text, where the user types at once. */
export function textArea(
  id: string,
  label: string,
  hint: string,
  more: Partial<PlainTextInput> = {},
): InputBlock {
  return {
    type: 'input',
    block_id: id,
    label: plain(label),
    hint: plain(hint),
    element: {
      type: 'plain_text_input',
      action_id: id,
      multiline: true,
      focus_on_load: true,
      max_length: INPUT_CHARACTERS,
      ...more,
    },
  };
}

export function modal(title: string, blocks: KnownBlock[], more: Partial<ModalView> = {}): ModalView {
  return { type: 'modal', title: plain(title), close: plain('Cancel'), blocks, ...more };
}
