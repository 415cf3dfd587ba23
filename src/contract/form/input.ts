import { PRIORITY_WORD, priority } from '../enums.ts';
import { NO, YES } from './asked.ts';
import { shorten } from '../cut.ts';
import { WINDOW } from './fit.ts';
import type { FormFieldShape } from './shape.ts';

/** One of the choices of a question. */
export interface FormChoice {
  id: string;
  label: string;
  description: string | null;
}

/** The input of a question. For text, `min` and `max` are lengths. */
export type FormInput =
  | { kind: 'text'; lines: boolean; min: number | null; max: number; placeholder: string | null }
  | { kind: 'email' | 'url' | 'date' | 'time'; placeholder: string | null }
  | { kind: 'number'; decimals: boolean; min: number | null; max: number | null; placeholder: string | null }
  | { kind: 'moment' }
  | { kind: 'yes-no'; choices: readonly FormChoice[] }
  | {
      kind: 'menu';
      several: boolean;
      /** More than a menu holds: the user searches by typing. */
      typed: boolean;
      /** `label` is null if there is only one, unnamed group. */
      groups: readonly { label: string | null; choices: readonly FormChoice[] }[];
      placeholder: string | null;
    }
  | { kind: 'people'; several: boolean; placeholder: string | null }
  | { kind: 'files'; max: number };

/** Menu choices that are not part of the request type. */
export interface FormMenus {
  statuses: readonly { id: string; label: string }[];
  tags: readonly { id: string; label: string }[];
}

/** A text input with one line or several. */
export function textInput(more: { lines?: boolean; max?: number } = {}): FormInput {
  return { kind: 'text', lines: false, min: null, max: WINDOW.text, placeholder: null, ...more };
}

/** Returns the input for a field, by its type and `config`. */
export function fieldInput(field: FormFieldShape, menus: FormMenus): FormInput {
  const { customField } = field;
  const config = configOf(customField.config);
  const { placeholder, format, min, max, decimals } = config;
  switch (customField.type) {
    case 'NUMBER':
      return { kind: 'number', decimals, min, max, placeholder };
    case 'DATE':
      return { kind: 'date', placeholder };
    case 'TIME':
      return { kind: 'time', placeholder };
    case 'DATETIME':
      return { kind: 'moment' };
    case 'BOOLEAN':
      return {
        kind: 'yes-no',
        choices: choicesOf([
          { id: YES, label: 'Yes' },
          { id: NO, label: 'No' },
        ]),
      };
    case 'SELECT':
      return menu(optionsOf(field), false, placeholder);
    case 'MULTI_SELECT':
      return menu(optionsOf(field), true, placeholder);
    case 'PRIORITY_SELECT':
      return menu(
        priority.options.map((id) => ({ id, label: PRIORITY_WORD[id] ?? id })),
        false,
        placeholder,
      );
    case 'STATUS_SELECT':
      return menu(menus.statuses, false, placeholder);
    case 'TAG_SELECT':
      return menu(menus.tags, true, placeholder);
    case 'USER_SELECT':
      return { kind: 'people', several: false, placeholder };
    case 'USER_MULTI_SELECT':
      return { kind: 'people', several: true, placeholder };
    case 'FILE_PICKER':
      return { kind: 'files', max: WINDOW.files };
    default:
      // Unknown future types are text inputs.
      if (customField.type !== 'TEXT_AREA' && (format === 'email' || format === 'url'))
        return { kind: format, placeholder };
      return {
        kind: 'text',
        lines: customField.type === 'TEXT_AREA',
        min: min === null ? null : Math.min(Math.max(0, min), WINDOW.text),
        max: Math.min(Math.max(1, max ?? WINDOW.text), WINDOW.text),
        placeholder,
      };
  }
}

/** Returns the choices of a field that has its own. */
export function optionsOf({ customField: { options } }: FormFieldShape): Named[] {
  return options
    .toSorted((a, b) => a.order - b.order)
    .map(({ id, value, description }) => ({ id, label: value, description }));
}

interface Named {
  id: string;
  label: string;
  description?: string | null;
}

/** Returns records as menu choices; one whose id is too long for Slack is left out. */
export function choicesOf(records: readonly Named[]): FormChoice[] {
  return records
    .filter(({ id }) => id.length > 0 && id.length <= WINDOW.choiceId)
    .map(({ id, label, description }) => ({
      id,
      label: shorten(label === '' ? id : label, WINDOW.choiceText),
      description: shorten(description?.trim() ?? '', WINDOW.choiceText) || null,
    }));
}

/** A text input if there is nothing to choose from. */
function menu(records: readonly Named[], several: boolean, placeholder: string | null): FormInput {
  const choices = choicesOf(records);
  if (choices.length === 0) return textInput();
  const typed = choices.length > WINDOW.choices;
  return { kind: 'menu', several, typed, groups: [{ label: null, choices }], placeholder };
}

/** The options in a field's `config` that affect its input; anything else is ignored. */
interface Config {
  placeholder: string | null;
  format: string | null;
  min: number | null;
  max: number | null;
  decimals: boolean;
}

function configOf(config: unknown): Config {
  const { placeholder, format, min, max, decimals } =
    typeof config === 'object' && config !== null ? (config as Record<string, unknown>) : {};
  return {
    placeholder:
      typeof placeholder === 'string' && placeholder !== '' ? shorten(placeholder, WINDOW.placeholder) : null,
    format: typeof format === 'string' ? format : null,
    min: typeof min === 'number' ? min : null,
    max: typeof max === 'number' ? max : null,
    decimals: typeof decimals === 'boolean' ? decimals : true,
  };
}
