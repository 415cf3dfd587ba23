import type { InputBlock, KnownBlock, PlainTextOption } from '@slack/types';

import { type FormChoice, type FormInput, type FormQuestion, WINDOW } from '../../../contract/index.ts';
import { blockOf, type FormField, OWN_QUESTIONS } from './rules.ts';
import type { Filled } from '../../slack/interaction.ts';
import { optionOf } from '../../blocks/card.ts';

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

export const plain = (text: string) => ({ type: 'plain_text' as const, text });

/** Returns a question of a form with its current value. A change is sent at once if other questions depend on it. */
export function questionBlock(part: FormQuestion<FormField>, filled: Filled): KnownBlock {
  const { asks, label, hint, required, input } = part;
  const block = typeof asks === 'string' ? OWN_QUESTIONS[asks] : blockOf(asks);
  return {
    type: 'input',
    block_id: block,
    label: plain(label),
    optional: !required,
    ...(tells(part) ? { dispatch_action: true } : {}),
    ...(hint === null ? {} : { hint: plain(hint) }),
    element: {
      ...elementOf(input, actionOf(part), filled[block] ?? null),
      ...(asks === 'title' && AT_EACH_KEY),
    },
  };
}

/** Answers are looked for while a title is typed. */
const AT_EACH_KEY = { dispatch_action_config: { trigger_actions_on: ['on_character_entered' as const] } };

function tells({ asks, changes }: FormQuestion<FormField>): boolean {
  return asks === 'type' || asks === 'title' || changes;
}

function actionOf({ asks, changes }: FormQuestion<FormField>): string {
  if (asks === 'type') return FORM_ACTIONS.type;
  if (changes) return FORM_ACTIONS.parent;
  return typeof asks !== 'string' && asks.ticketField === 'DUE_DATE' ? FORM_ACTIONS.due : FORM_ACTIONS.value;
}

/** https://docs.slack.dev/reference/block-kit/block-elements */
function elementOf(input: FormInput, action_id: string, typed: Filled[string]): Element {
  const one = typeof typed === 'string' ? typed : (typed?.[0] ?? '');
  const several = [typed ?? []].flat();
  const words = typeof typed === 'string' && typed !== '' ? typed.slice(0, WINDOW.text) : undefined;
  const initialText = words === undefined ? {} : { initial_value: words };
  const placeholder =
    'placeholder' in input && input.placeholder !== null ? { placeholder: plain(input.placeholder) } : {};
  switch (input.kind) {
    case 'text':
      return {
        type: 'plain_text_input',
        action_id,
        multiline: input.lines,
        max_length: input.max,
        ...(input.min === null ? {} : { min_length: input.min }),
        ...initialText,
        ...placeholder,
      };
    case 'email':
    case 'url':
      return {
        type: input.kind === 'email' ? 'email_text_input' : 'url_text_input',
        action_id,
        ...initialText,
        ...placeholder,
      };
    case 'number':
      return {
        type: 'number_input',
        action_id,
        is_decimal_allowed: input.decimals,
        ...(input.min === null ? {} : { min_value: String(input.min) }),
        ...(input.max === null ? {} : { max_value: String(input.max) }),
        ...initialText,
        ...placeholder,
      };
    case 'date':
      return {
        type: 'datepicker',
        action_id,
        ...(/^\d{4}-\d{2}-\d{2}$/.test(one) ? { initial_date: one } : {}),
        ...placeholder,
      };
    case 'time':
      return {
        type: 'timepicker',
        action_id,
        ...(/^\d{2}:\d{2}$/.test(one) ? { initial_time: one } : {}),
        ...placeholder,
      };
    case 'moment':
      return {
        type: 'datetimepicker',
        action_id,
        ...(/^\d{10}$/.test(one) ? { initial_date_time: Number(one) } : {}),
      };
    case 'yes-no': {
      const options = input.choices.map(choiceOption);
      const chosen = options.find(({ value }) => value === one);
      return { type: 'radio_buttons', action_id, options, ...(chosen ? { initial_option: chosen } : {}) };
    }
    case 'menu':
      return menu(input, { action_id, ...placeholder }, several);
    case 'people':
      return input.several
        ? {
            type: 'multi_users_select',
            action_id,
            ...(several.length > 0 ? { initial_users: several } : {}),
            ...placeholder,
          }
        : { type: 'users_select', action_id, ...(one === '' ? {} : { initial_user: one }), ...placeholder };
    case 'files':
      return { type: 'file_input', action_id, max_files: input.max };
  }
}

type Menu = FormInput & { kind: 'menu' };

/** A menu holds up to a hundred choices; more are searched by typing. */
function menu(
  { several, typed, groups }: Menu,
  base: { action_id: string; placeholder?: { type: 'plain_text'; text: string } },
  chosen: readonly string[],
): Element {
  const held = groups
    .flatMap(({ choices }) => choices)
    .filter(({ id }) => chosen.includes(id))
    .map(choiceOption);
  const looked = { min_query_length: 0 };
  if (several) {
    const rest = { ...base, ...(held.length > 0 ? { initial_options: held } : {}) };
    return typed
      ? { type: 'multi_external_select', ...looked, ...rest }
      : { type: 'multi_static_select', ...menuOptions(groups), ...rest };
  }
  const [first] = held;
  const rest = { ...base, ...(first ? { initial_option: first } : {}) };
  return typed
    ? { type: 'external_select', ...looked, ...rest }
    : { type: 'static_select', ...menuOptions(groups), ...rest };
}

/** Returns the groups of a menu for Slack. */
export function menuOptions(
  groups: Menu['groups'],
):
  | { options: PlainTextOption[] }
  | { option_groups: { label: { type: 'plain_text'; text: string }; options: PlainTextOption[] }[] } {
  const named = groups.map(({ label, choices }) => ({
    label: plain(label ?? ''),
    options: choices.map(choiceOption),
  }));
  return groups.some(({ label }) => label !== null)
    ? { option_groups: named }
    : { options: named.flatMap(({ options }) => options) };
}

/** A choice of a menu. */
export function choiceOption({ id, label, description }: FormChoice): PlainTextOption {
  return { ...optionOf({ id, label }), ...(description === null ? {} : { description: plain(description) }) };
}
