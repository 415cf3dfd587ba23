import type { KnownBlock, ModalView, PlainTextOption } from '@slack/types';

import { askedFields, asks, asksTitle, type Form, isQuestion, OWN_QUESTIONS } from '../decide/form.ts';
import type { Filled } from '../decide/manage.ts';
import { escapeChat } from '../text/to-chat.ts';
import { optionOf, shorten } from './card.ts';
import { choices, fieldBlock, FORM_ACTIONS, type Menus, plain, question, textInput } from './form-input.ts';

/** Callback id of the form for new tickets. */
export const FORM_CALLBACK = 'new_ticket_form';

/** Action ids of buttons that open the form. */
export const FORM_BUTTONS = { open: 'new_ticket', again: 'form_again' } as const;

export const FORM_TITLE = 'New ticket';

/** https://docs.slack.dev/reference/views and …/block-kit/composition-objects/option-group-object */
const LIMITS = { blocks: 100, groups: 100, options: 100, groupLabel: 75, title: 150 } as const;

/** What the form shows. */
export interface FormView {
  /** The request types that are offered. */
  forms: readonly Form[];
  chosen: Form | undefined;
  filled: Filled;
  menus: Menus;
  /** Why it is open again, or what was done before it; said on top. */
  note: string | undefined;
}

/** The form for new tickets (B37): what kind of request it is, then what is asked of that kind. */
export function formModal(view: FormView, metadata: string): ModalView {
  const { forms, chosen, filled, note } = view;
  return {
    type: 'modal',
    callback_id: FORM_CALLBACK,
    private_metadata: metadata,
    title: plain(FORM_TITLE),
    submit: plain('Open ticket'),
    close: plain('Cancel'),
    blocks: fitted([
      ...(note === undefined ? [] : [quiet(note)]),
      ...(forms.length > 0 ? [typeMenu(forms, chosen)] : []),
      ...aboutType(chosen),
      // What kind it is comes first; without kinds there is nothing to choose.
      ...(chosen || forms.length === 0 ? questions(chosen, filled, view.menus) : []),
    ]),
  };
}

function aboutType(chosen: Form | undefined): KnownBlock[] {
  const lines = [
    chosen?.description?.trim() ? escapeChat(chosen.description.trim()) : undefined,
    chosen?.isPrivate
      ? ':lock: A private request: seen by you, whom you name in it, and the team.'
      : undefined,
  ].filter((line) => line !== undefined);
  return lines.length > 0 ? [quiet(lines.join('\n'))] : [];
}

function questions(chosen: Form | undefined, filled: Filled, menus: Menus): KnownBlock[] {
  const blocks = chosen
    ? askedFields(chosen, filled).map((field) => fieldBlock(chosen, field, filled, menus))
    : [];
  const own: KnownBlock[] = [];
  if (asksTitle(chosen))
    own.push(
      question(OWN_QUESTIONS.title, {
        label: 'Title',
        optional: false,
        element: textInput(FORM_ACTIONS.value, filled[OWN_QUESTIONS.title], { max: LIMITS.title }),
      }),
    );
  if (!asks(chosen, 'DESCRIPTION'))
    own.push(
      question(OWN_QUESTIONS.description, {
        label: 'Description',
        optional: true,
        element: textInput(FORM_ACTIONS.value, filled[OWN_QUESTIONS.description], { multiline: true }),
      }),
    );
  return [...own, ...blocks];
}

/** Where there are more blocks than a view holds, headings and words go first: what is asked stays. */
function fitted(blocks: KnownBlock[]): KnownBlock[] {
  if (blocks.length <= LIMITS.blocks) return blocks;
  return blocks.filter(({ type }) => type === 'input');
}

/** Whether a form asks more than a modal holds. */
export function isTooLong(form: Form): boolean {
  return form.customFields.filter(isQuestion).length > LIMITS.blocks - 3;
}

function quiet(text: string): KnownBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', verbatim: true, text: shorten(text, 2_000) }] };
}

/** The kinds of requests by their collections; more than a menu holds are looked for by typing. */
function typeMenu(forms: readonly Form[], chosen: Form | undefined): KnownBlock {
  const initial = chosen && optionOfForm(chosen);
  const placeholder = plain('Choose');
  return question(OWN_QUESTIONS.type, {
    label: 'What is it about?',
    optional: false,
    element: {
      action_id: FORM_ACTIONS.type,
      placeholder,
      ...(initial ? { initial_option: initial } : {}),
      ...(forms.length > LIMITS.options
        ? { type: 'external_select' as const, min_query_length: 0 }
        : { type: 'static_select' as const, ...groupedForms(forms) }),
    },
  });
}

function optionOfForm({ id, name, emoji }: Form): PlainTextOption {
  return optionOf({ id, label: emoji ? `${emoji} ${name}` : name });
}

/** Request types as a menu takes them: those of a collection together, the others first. At most a hundred are shown. */
export function groupedForms(
  forms: readonly Form[],
):
  | { options: PlainTextOption[] }
  | { option_groups: { label: { type: 'plain_text'; text: string }; options: PlainTextOption[] }[] } {
  const shown = forms.slice(0, LIMITS.options);
  const names = new Map<string, Form[]>();
  for (const form of shown) {
    const group = form.parent?.name ?? '';
    names.set(group, [...(names.get(group) ?? []), form]);
  }
  if (names.size <= 1 && names.has('')) return { options: shown.map(optionOfForm) };
  const groups = [...names].toSorted(([a], [b]) => Number(b === '') - Number(a === '') || a.localeCompare(b));
  return {
    option_groups: groups.map(([name, members]) => ({
      label: plain(shorten(name === '' ? 'Other requests' : name, LIMITS.groupLabel)),
      options: members.map(optionOfForm),
    })),
  };
}

/** What a menu offers for what was typed. */
export function matching(
  records: readonly { id: string; label: string }[],
  typed: string,
): { options: PlainTextOption[] } {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = records.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  return { options: choices(found).slice(0, LIMITS.options) };
}

/** Says why a form could not become a ticket, with the button that opens it as it was filled in (B37). */
export function formAgain(text: string, draft: string): { text: string; blocks: KnownBlock[] } {
  return {
    text,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', verbatim: true, text } },
      {
        type: 'actions',
        elements: [
          { type: 'button', action_id: FORM_BUTTONS.again, value: draft, text: plain('Open again') },
        ],
      },
    ],
  };
}
