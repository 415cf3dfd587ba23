import type { Page } from 'playwright-core';

import type { Chat, SeenModal } from '../harness/chat.ts';
import { until } from '../harness/until.ts';

/** One visible part of a form, in chat or in the desk's preview. */
export interface Seen {
  /** `heading`, `words`, `quiet`, `divider`, or our name for the type of input. */
  kind: string;
  /** The text or label. */
  text: string;
  optional?: boolean;
  hint?: string;
  placeholder?: string;
  choices?: string[];
}

/** Our names for the elements of chat; https://docs.slack.dev/reference/block-kit/block-elements. */
const ELEMENTS: Record<string, string> = {
  plain_text_input: 'text',
  email_text_input: 'email',
  url_text_input: 'url',
  number_input: 'number',
  datepicker: 'date',
  timepicker: 'time',
  datetimepicker: 'datetime-local',
  radio_buttons: 'radio',
  static_select: 'menu',
  multi_static_select: 'menu of several',
  users_select: 'people',
  multi_users_select: 'people of several',
  file_input: 'files',
};

type Texts = { text: string } | undefined;
interface Block {
  type: string;
  text?: Texts;
  label?: Texts;
  hint?: Texts;
  optional?: boolean;
  elements?: { text: string }[];
  element?: {
    type: string;
    multiline?: boolean;
    placeholder?: Texts;
    options?: { text: { text: string }; description?: { text: string } }[];
  };
}

/** Undoes Slack's escapes. */
const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const choice = ({ text, description }: { text: { text: string }; description?: { text: string } }) =>
  description ? `${text.text} – ${description.text}` : text.text;

/** The visible parts of a modal in chat, from its blocks. */
export function seenInChat({ blocks }: SeenModal): Seen[] {
  return (blocks as unknown as Block[]).map(({ type, text, elements, label, hint, optional, element }) => {
    const words = { header: 'heading', section: 'words', context: 'quiet', divider: 'divider' }[type];
    if (words !== undefined) return { kind: words, text: unescaped(text?.text ?? elements?.[0]?.text ?? '') };
    const kind = ELEMENTS[element?.type ?? ''] ?? `unknown ${element?.type ?? type}`;
    return {
      kind: element?.multiline ? 'textarea' : kind,
      text: label?.text ?? '',
      optional: optional ?? false,
      ...(hint && { hint: hint.text }),
      ...(element?.placeholder && { placeholder: element.placeholder.text }),
      ...(element?.options && { choices: element.options.map(choice) }),
    };
  });
}

/** The visible parts of the desk's preview, from its elements. */
export function seenInPreview(page: Page): Promise<Seen[]> {
  return page.evaluate<Seen[]>(`[...document.querySelectorAll('[data-parts] > *')].map((part) => {
    const words = (selector) => part.querySelector(selector)?.textContent.trim().replaceAll(/\\s+/g, ' ');
    const { part: kind, input, several } = part.dataset;
    if (kind !== 'question') return { kind, text: part.textContent.trim() };
    const field = part.querySelector('select, textarea, details, input');
    const isNamed = ['people', 'files', 'menu'].includes(input);
    const label = words('[data-label]');
    const options = [...part.querySelectorAll('option[value]:not([value=""]), [data-choice]')];
    const placeholder = field?.placeholder || part.querySelector('option[value=""], summary')?.textContent;
    return {
      kind: isNamed ? input + (several === 'true' ? ' of several' : '') : (field.type ?? field.localName),
      text: label.replace(/ \\(optional\\)$/, ''),
      optional: label.endsWith(' (optional)'),
      ...(words('[data-hint]') && { hint: words('[data-hint]') }),
      ...(placeholder && { placeholder: placeholder.trim() }),
      ...(options.length > 0 && { choices: options.map((one) => one.textContent.trim()) }),
    };
  })`);
}

const optionValue = (option: unknown) => (option as { value?: string } | undefined)?.value;

/** Opens the form in chat and chooses this request type, which makes the bridge update the form. */
export async function openForm(chat: Chat, user: string, requestTypeId: string): Promise<SeenModal> {
  await chat.post('close-view', { user, all: true }).catch(() => undefined);
  await chat.command('general', user, 'new');
  const first = await windowWith(chat, user, ({ block_id }) => block_id === 'ask:type');
  await choose(chat, user, first, 'ask:type', 'form_type', requestTypeId);
  return windowWith(chat, user, ({ element }) => optionValue(element?.['initial_option']) === requestTypeId);
}

/** Chooses an answer that other questions depend on; resolves to the modal that asks `then`. */
export async function answerInChat(
  chat: Chat,
  user: string,
  view: SeenModal,
  [block, value, then]: [block: string, value: string, then: string],
): Promise<SeenModal> {
  await choose(chat, user, view, block, 'form_parent', value);
  return windowWith(chat, user, (one) => JSON.stringify(one).includes(then));
}

async function choose(
  chat: Chat,
  user: string,
  view: SeenModal,
  blockId: string,
  actionId: string,
  value: string,
) {
  await chat.post('interact', { user, viewId: view.id, action: { actionId, blockId, value } });
}

const windowWith = (chat: Chat, user: string, isIt: (block: SeenModal['blocks'][number]) => boolean) =>
  until(
    'the form to ask that',
    async () => {
      const view = await chat.modal(user);
      return view?.blocks.some(isIt) ? view : undefined;
    },
    { seen: () => chat.modal(user) },
  );
