import type { InputBlock, KnownBlock, PlainTextOption } from '@slack/types';

import { type Form, blockOf, type FormField, isParent, NO, YES } from '../decide/form.ts';
import type { Filled } from '../decide/manage.ts';
import { escapeChat } from '../text/to-chat.ts';
import { optionOf, PRIORITY_WORD, shorten } from './card.ts';

/** Action ids of a form's inputs: they say what is done when somebody has filled one in. */
export const FORM_ACTIONS = {
  /** Another request type: other questions. */
  type: 'form_type',
  /** Other questions hang on this one. */
  parent: 'form_parent',
  /** What was typed is kept, and nothing else. */
  value: 'form_value',
  /** The same, of a day or a moment that has to be ahead. */
  due: 'form_due',
} as const;

/** https://docs.slack.dev/reference/block-kit/block-elements, …/blocks and …/composition-objects/option-object */
const LIMITS = {
  text: 3_000,
  label: 2_000,
  hint: 2_000,
  heading: 150,
  options: 100,
  optionText: 75,
  optionValue: 150,
  placeholder: 150,
  files: 10,
} as const;

type Element = InputBlock['element'];

/** What menus offer that the request type itself does not know. */
export interface Menus {
  statuses: readonly { id: string; label: string }[];
  tags: readonly { id: string; label: string }[];
  priorities: readonly string[];
}

export const plain = (text: string) => ({ type: 'plain_text' as const, text });

/** The block in which a form asks for a field, or shows its words (B37). */
export function fieldBlock(form: Form, field: FormField, filled: Filled, menus: Menus): KnownBlock {
  const { customField, required } = field;
  const { label, description, type } = customField;
  switch (type) {
    case 'HEADING':
      return { type: 'header', text: plain(shorten(label, LIMITS.heading)) };
    case 'DIVIDER':
      return { type: 'divider' };
    case 'TEXT_BLOCK': {
      const text = escapeChat(description ?? label);
      return { type: 'section', text: { type: 'mrkdwn', verbatim: true, text: shorten(text, LIMITS.text) } };
    }
    default:
      return question(blockOf(field), {
        label,
        hint: description,
        optional: !(required || customField.required),
        element: elementOf(field, actionOf(form, field), filled, menus),
      });
  }
}

function actionOf(form: Form, field: FormField): string {
  if (isParent(form, field)) return FORM_ACTIONS.parent;
  return field.ticketField === 'DUE_DATE' ? FORM_ACTIONS.due : FORM_ACTIONS.value;
}

/** A question of a form. What is put into it is told at once, so that it is kept when the form is closed. */
export function question(
  blockId: string,
  {
    label,
    hint,
    optional,
    element,
  }: { label: string; hint?: string | null; optional: boolean; element: Element },
): KnownBlock {
  return {
    type: 'input',
    block_id: blockId,
    label: plain(shorten(label, LIMITS.label)),
    optional,
    // A field of files does not tell.
    ...(element.type === 'file_input' ? {} : { dispatch_action: true }),
    ...(hint?.trim() ? { hint: plain(shorten(hint.trim(), LIMITS.hint)) } : {}),
    element,
  };
}

/** A field for words. */
export function textInput(
  action: string,
  typed: Filled[string] | undefined,
  {
    multiline = false,
    min,
    max,
  }: { multiline?: boolean; min?: number | undefined; max?: number | undefined } = {},
): Element {
  return {
    type: 'plain_text_input',
    action_id: action,
    multiline,
    max_length: Math.min(max ?? LIMITS.text, LIMITS.text),
    ...(min === undefined ? {} : { min_length: Math.min(min, LIMITS.text) }),
    ...told,
    ...initialText(typed),
  };
}

const told = { dispatch_action_config: { trigger_actions_on: ['on_character_entered' as const] } };

function initialText(typed: Filled[string] | undefined): { initial_value?: string } {
  return typeof typed === 'string' && typed !== '' ? { initial_value: typed.slice(0, LIMITS.text) } : {};
}

/** The input of a field, by its type and what its `config` says (docs/forms.md). */
function elementOf(field: FormField, action: string, filled: Filled, menus: Menus): Element {
  const { customField } = field;
  const typed = filled[blockOf(field)] ?? null;
  const one = typeof typed === 'string' ? typed : (typed?.[0] ?? '');
  const config = configOf(customField.config);
  const hint = config.placeholder
    ? { placeholder: plain(shorten(config.placeholder, LIMITS.placeholder)) }
    : {};
  switch (customField.type) {
    case 'NUMBER':
      return {
        type: 'number_input',
        action_id: action,
        is_decimal_allowed: config.decimals ?? true,
        ...(config.min === undefined ? {} : { min_value: String(config.min) }),
        ...(config.max === undefined ? {} : { max_value: String(config.max) }),
        ...told,
        ...initialText(typed),
        ...hint,
      };
    case 'DATE':
      return {
        type: 'datepicker',
        action_id: action,
        ...(/^\d{4}-\d{2}-\d{2}$/.test(one) ? { initial_date: one } : {}),
        ...hint,
      };
    case 'TIME':
      return {
        type: 'timepicker',
        action_id: action,
        ...(/^\d{2}:\d{2}$/.test(one) ? { initial_time: one } : {}),
        ...hint,
      };
    case 'DATETIME':
      return {
        type: 'datetimepicker',
        action_id: action,
        ...(/^\d{10}$/.test(one) ? { initial_date_time: Number(one) } : {}),
      };
    case 'BOOLEAN': {
      const options = [optionOf({ id: YES, label: 'Yes' }), optionOf({ id: NO, label: 'No' })];
      const chosen = options.find(({ value }) => value === one);
      return {
        type: 'radio_buttons',
        action_id: action,
        options,
        ...(chosen ? { initial_option: chosen } : {}),
      };
    }
    case 'SELECT':
      return menu(action, optionsOf(field), one, hint);
    case 'MULTI_SELECT':
      return multiMenu(action, optionsOf(field), typed, hint);
    case 'PRIORITY_SELECT':
      return menu(
        action,
        menus.priorities.map((id) => ({ id, label: PRIORITY_WORD[id] ?? id })),
        one,
        hint,
      );
    case 'STATUS_SELECT':
      return menu(action, menus.statuses, one, hint);
    case 'TAG_SELECT':
      return multiMenu(action, menus.tags, typed, hint);
    case 'USER_SELECT':
      return {
        type: 'users_select',
        action_id: action,
        ...(one === '' ? {} : { initial_user: one }),
        ...hint,
      };
    case 'USER_MULTI_SELECT':
      return {
        type: 'multi_users_select',
        action_id: action,
        ...(typed !== null && typed.length > 0 ? { initial_users: [typed].flat() } : {}),
        ...hint,
      };
    case 'FILE_PICKER':
      return { type: 'file_input', action_id: action, max_files: LIMITS.files };
    case 'TEXT_AREA':
      return { ...textInput(action, typed, { multiline: true, ...lengthsOf(config) }), ...hint };
    default:
      // A kind of tomorrow is asked for in words.
      if (config.format === 'email' || config.format === 'url')
        return {
          type: config.format === 'email' ? 'email_text_input' : 'url_text_input',
          action_id: action,
          ...told,
          ...initialText(typed),
          ...hint,
        };
      return { ...textInput(action, typed, lengthsOf(config)), ...hint };
  }
}

/** What a field's `config` may say of how it is asked; anything else is passed over. */
interface Config {
  placeholder?: string;
  format?: string;
  min?: number;
  max?: number;
  decimals?: boolean;
}

function configOf(config: unknown): Config {
  if (typeof config !== 'object' || config === null) return {};
  const { placeholder, format, min, max, decimals } = config as Record<string, unknown>;
  return {
    ...(typeof placeholder === 'string' && placeholder !== '' ? { placeholder } : {}),
    ...(typeof format === 'string' ? { format } : {}),
    ...(typeof min === 'number' ? { min } : {}),
    ...(typeof max === 'number' ? { max } : {}),
    ...(typeof decimals === 'boolean' ? { decimals } : {}),
  };
}

/** Of a text, `min` and `max` are lengths. */
function lengthsOf({ min, max }: Config): { min: number | undefined; max: number | undefined } {
  return {
    min: min === undefined ? undefined : Math.max(0, min),
    max: max === undefined ? undefined : Math.max(1, max),
  };
}

interface Choice {
  id: string;
  label: string;
  description?: string | null;
}

/** The choices of a field that has its own. */
export function optionsOf({ customField: { options } }: FormField): Choice[] {
  return options
    .toSorted((a, b) => a.order - b.order)
    .map(({ id, value, description }) => ({ id, label: value, description }));
}

/** A choice of a menu; an id that chat has no room for is left out of what can be chosen. */
export function choices(records: readonly Choice[]): PlainTextOption[] {
  return records
    .filter(({ id }) => id.length > 0 && id.length <= LIMITS.optionValue)
    .map(({ id, label, description }) => ({
      ...optionOf({ id, label: label === '' ? id : label }),
      ...(description?.trim() ? { description: plain(shorten(description.trim(), LIMITS.optionText)) } : {}),
    }));
}

type Hint = { placeholder?: { type: 'plain_text'; text: string } };

/** Up to a hundred choices stand in the menu; more are looked for by typing. */
function menu(action: string, records: readonly Choice[], chosen: string, hint: Hint): Element {
  const options = choices(records);
  const initial = options.find(({ value }) => value === chosen);
  const rest = { action_id: action, ...(initial ? { initial_option: initial } : {}), ...hint };
  if (options.length === 0) return textInput(action, chosen);
  return options.length <= LIMITS.options
    ? { type: 'static_select', options, ...rest }
    : { type: 'external_select', min_query_length: 0, ...rest };
}

function multiMenu(
  action: string,
  records: readonly Choice[],
  chosen: Filled[string] | undefined,
  hint: Hint,
): Element {
  const options = choices(records);
  const initial = options.filter(({ value }) => value !== undefined && [chosen].flat().includes(value));
  const rest = { action_id: action, ...(initial.length > 0 ? { initial_options: initial } : {}), ...hint };
  if (options.length === 0) return textInput(action, typeof chosen === 'string' ? chosen : '');
  return options.length <= LIMITS.options
    ? { type: 'multi_static_select', options, ...rest }
    : { type: 'multi_external_select', min_query_length: 0, ...rest };
}
