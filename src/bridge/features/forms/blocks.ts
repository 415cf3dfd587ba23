import type { InputBlock, KnownBlock, PlainTextElement, PlainTextOption, ModalView } from '@slack/types';

import {
  type FormChoice,
  type FormInput,
  type FormQuestion,
  WINDOW,
  choicesOf,
  FORM_WINDOW,
  type FormKind,
  type FormMenus,
  type FormPart,
  type FormShape,
  formParts,
  kindGroups,
} from '../../../contract/index.ts';
import { blockOf, type FormField, OWN_QUESTIONS, type Form } from './rules.ts';
import type { Filled } from '../../slack/interaction.ts';
import {
  actions,
  button,
  type Drawn,
  optionalProperty,
  optionOf,
  plain,
  section,
  plainContext,
} from '../../blocks/kit.ts';
import type { SimilarTicket } from '../../tickets/rules.ts';
import { similarBlock } from '../../blocks/card.ts';

/** Action ids of a form's inputs; they decide what a change does. */
export const FORM_ACTIONS = {
  /** Another request type: other questions. */
  type: 'form_type',
  /** Other questions depend on this one. */
  parent: 'form_parent',
  value: 'form_value',
  /** A date or time that must be in the future. */
  due: 'form_due',
} as const;

type Element = InputBlock['element'];

/** Returns a question of a form with its current value. A change is sent at once if other questions depend on it. */
function questionBlock(part: FormQuestion<FormField>, filled: Filled): KnownBlock {
  const { asks, label, hint, required, input, changes } = part;
  const block = typeof asks === 'string' ? OWN_QUESTIONS[asks] : blockOf(asks);
  return {
    type: 'input',
    block_id: block,
    label: plain(label),
    optional: !required,
    // A change is sent at once.
    ...((asks === 'type' || asks === 'title' || changes) && { dispatch_action: true }),
    ...optionalProperty('hint', hint && plain(hint)),
    element: {
      ...elementOf(input, actionOf(part), filled[block] ?? null),
      ...(asks === 'title' && AT_EACH_KEY),
    },
  };
}

/** Answers are looked for while a title is typed. */
const AT_EACH_KEY = { dispatch_action_config: { trigger_actions_on: ['on_character_entered' as const] } };

function actionOf({ asks, changes }: FormQuestion<FormField>): string {
  if (asks === 'type') return FORM_ACTIONS.type;
  if (changes) return FORM_ACTIONS.parent;
  return typeof asks !== 'string' && asks.ticketField === 'DUE_DATE' ? FORM_ACTIONS.due : FORM_ACTIONS.value;
}

/** https://docs.slack.dev/reference/block-kit/block-elements */
function elementOf(input: FormInput, action_id: string, typed: Filled[string]): Element {
  const several = [typed ?? []].flat();
  const [one = ''] = several;
  const own = {
    action_id,
    ...optionalProperty(
      'placeholder',
      'placeholder' in input && input.placeholder ? plain(input.placeholder) : '',
    ),
  };
  const text = optionalProperty(
    'initial_value',
    typeof typed === 'string' ? typed.slice(0, WINDOW.text) : '',
  );
  switch (input.kind) {
    case 'text': {
      const { lines: multiline, min, max: max_length } = input;
      return {
        type: 'plain_text_input',
        ...own,
        multiline,
        max_length,
        ...optionalProperty('min_length', min),
        ...text,
      };
    }
    case 'email':
      return { type: 'email_text_input', ...own, ...text };
    case 'url':
      return { type: 'url_text_input', ...own, ...text };
    case 'number':
      return {
        type: 'number_input',
        ...own,
        is_decimal_allowed: input.decimals,
        ...optionalProperty('min_value', input.min?.toString()),
        ...optionalProperty('max_value', input.max?.toString()),
        ...text,
      };
    case 'date':
      return {
        type: 'datepicker',
        ...own,
        ...optionalProperty('initial_date', /^\d{4}-\d{2}-\d{2}$/.exec(one)?.[0]),
      };
    case 'time':
      return {
        type: 'timepicker',
        ...own,
        ...optionalProperty('initial_time', /^\d{2}:\d{2}$/.exec(one)?.[0]),
      };
    case 'moment': {
      const seconds = /^\d{10}$/.test(one) ? Number(one) : undefined;
      return { type: 'datetimepicker', ...own, ...optionalProperty('initial_date_time', seconds) };
    }
    case 'yes-no': {
      const options = input.choices.map(choiceOption);
      const chosen = options.find(({ value }) => value === one);
      return { type: 'radio_buttons', action_id, options, ...optionalProperty('initial_option', chosen) };
    }
    case 'menu':
      return menu(input, own, several);
    case 'people':
      return input.several
        ? { type: 'multi_users_select', ...own, ...(several.length > 0 && { initial_users: several }) }
        : { type: 'users_select', ...own, ...optionalProperty('initial_user', one) };
    case 'files':
      return { type: 'file_input', action_id, max_files: input.max };
  }
}

type Menu = FormInput & { kind: 'menu' };

/** A menu holds up to a hundred choices; more are searched by typing. */
function menu(
  { several, typed, groups }: Menu,
  own: { action_id: string; placeholder?: PlainTextElement },
  chosen: readonly string[],
): Element {
  const held = groups
    .flatMap(({ choices }) => choices)
    .filter(({ id }) => chosen.includes(id))
    .map(choiceOption);
  const looked = { min_query_length: 0 };
  if (several) {
    const rest = { ...own, ...(held.length > 0 && { initial_options: held }) };
    return typed
      ? { type: 'multi_external_select', ...looked, ...rest }
      : { type: 'multi_static_select', ...menuOptions(groups), ...rest };
  }
  const rest = { ...own, ...optionalProperty('initial_option', held[0]) };
  return typed
    ? { type: 'external_select', ...looked, ...rest }
    : { type: 'static_select', ...menuOptions(groups), ...rest };
}

function menuOptions(
  groups: Menu['groups'],
):
  | { options: PlainTextOption[] }
  | { option_groups: { label: PlainTextElement; options: PlainTextOption[] }[] } {
  const named = groups.map(({ label, choices }) => ({
    label: plain(label ?? ''),
    options: choices.map(choiceOption),
  }));
  return groups.some(({ label }) => label !== null)
    ? { option_groups: named }
    : { options: named.flatMap(({ options }) => options) };
}

function choiceOption({ id, label, description }: FormChoice): PlainTextOption {
  return {
    ...optionOf({ id, label }),
    ...optionalProperty('description', description && plain(description)),
  };
}

export const FORM_CALLBACK = 'new_ticket_form';

export const FORM_BUTTONS = { open: 'new_ticket', again: 'form_again' } as const;

export interface FormView {
  /** The request types on offer. */
  forms: readonly Form[];
  chosen: FormShape<FormField> | undefined;
  filled: Filled;
  menus: FormMenus;
  /** Tickets that may already answer what is asked. */
  similar?: readonly SimilarTicket[];
}

/** Returns the form for new tickets (B37): the request type, then its questions. */
export function formModal(
  { forms, chosen, filled, menus, similar = [] }: FormView,
  metadata: string,
): ModalView {
  const answers = (field: FormField) => filled[blockOf(field)];
  // The menu shows the request type of the questions, even if nobody chose it.
  const held = chosen ? { ...filled, [OWN_QUESTIONS.type]: chosen.id } : filled;
  return {
    type: 'modal',
    callback_id: FORM_CALLBACK,
    private_metadata: metadata,
    title: plain(FORM_WINDOW.title),
    submit: plain(FORM_WINDOW.submit),
    close: plain(FORM_WINDOW.close),
    blocks: withSimilar(
      formParts({ kinds: forms, chosen, answers, menus, note: undefined }).map((part) =>
        partBlock(part, held),
      ),
      similar,
    ),
  };
}

/** Below the title, where the window has room for it. */
function withSimilar(blocks: KnownBlock[], similar: readonly SimilarTicket[]): KnownBlock[] {
  if (similar.length === 0 || blocks.length >= WINDOW.parts) return blocks;
  const found = similarBlock('These may already answer it', similar);
  return blocks.flatMap((block): KnownBlock[] =>
    block.block_id === OWN_QUESTIONS.title ? [block, found] : [block],
  );
}

function partBlock(part: FormPart<FormField>, filled: Filled): KnownBlock {
  switch (part.kind) {
    case 'quiet':
      return plainContext(part.text);
    case 'heading':
      return { type: 'header', text: plain(part.text) };
    case 'words':
      return { type: 'section', text: plain(part.text) };
    case 'divider':
      return { type: 'divider' };
    case 'question':
      return questionBlock(part, filled);
  }
}

export function matchingOptions(
  records: readonly { id: string; label: string }[],
  typed: string,
): { options: PlainTextOption[] } {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = records.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  return { options: choicesOf(found).slice(0, WINDOW.choices).map(choiceOption) };
}

export function matchingKinds(kinds: readonly FormKind[], typed: string): ReturnType<typeof menuOptions> {
  const words = typed.toLowerCase().trim();
  const found = kinds.filter(({ name, parent }) =>
    `${parent?.name ?? ''} ${name}`.toLowerCase().includes(words),
  );
  return menuOptions(kindGroups(found.slice(0, WINDOW.choices - 1)));
}

/** Says why a form could not become a ticket, with a button that opens it with its values (B37). */
export function formAgain(text: string, draft: string): Drawn {
  return { text, blocks: [section(text), actions([button(FORM_BUTTONS.again, 'Open again', draft)])] };
}
