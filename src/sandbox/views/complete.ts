import { elementsOf } from '../blocks/layout.ts';
import type { Block, JsonObject } from '../workspace/content.ts';
import { asText, heldBy, isEmpty } from './element-state.ts';
import type { OpenView } from './open-view.ts';

/**
 * What Slack's client says below the fields of a form that may not be submitted yet, by block id: required fields
 * that are empty (slackapi/bolt-js issue 1267), and the limits that elements set themselves. The wording of all but
 * the first is ours.
 */
export function fieldErrors(view: OpenView): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const block of view.definition.blocks) {
    if (block.type !== 'input') continue;
    const blockId = asText(block['block_id']);
    const error = elementsOf(block)
      .map((element) => fieldError(block, element, view.values[blockId]?.[asText(element['action_id'])]))
      .find((found) => found !== undefined);
    if (error !== undefined) errors[blockId] = error;
  }
  return errors;
}

function fieldError(block: Block, element: JsonObject, state: JsonObject | undefined): string | undefined {
  const held = heldBy(element, state);
  if (isEmpty(held)) return block['optional'] === true ? undefined : 'Please complete this required field.';
  if (Array.isArray(held)) return tooMany(element, held.length);
  if (typeof held !== 'string') return undefined;
  switch (element['type']) {
    case 'plain_text_input':
      return lengthError(element, held.length);
    case 'number_input':
      return numberError(element, held);
    case 'email_text_input':
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(held) ? undefined : 'Please enter a valid email address.';
    case 'url_text_input':
      return URL.canParse(held) ? undefined : 'Please enter a valid URL.';
    default:
      return undefined;
  }
}

function tooMany(element: JsonObject, count: number): string | undefined {
  const max = element['max_selected_items'] ?? element['max_files'];
  return typeof max === 'number' && count > max ? `Please choose at most ${max}.` : undefined;
}

function lengthError({ min_length, max_length }: JsonObject, length: number): string | undefined {
  if (typeof min_length === 'number' && length < min_length)
    return `Please enter at least ${min_length} characters.`;
  if (typeof max_length === 'number' && length > max_length)
    return `Please enter at most ${max_length} characters.`;
  return undefined;
}

function numberError(element: JsonObject, text: string): string | undefined {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) return 'Please enter a number.';
  if (element['is_decimal_allowed'] !== true && !Number.isInteger(number))
    return 'Please enter a whole number.';
  const { min_value, max_value } = element;
  if (typeof min_value === 'string' && number < Number(min_value))
    return `Please enter a number of at least ${min_value}.`;
  if (typeof max_value === 'string' && number > Number(max_value))
    return `Please enter a number of at most ${max_value}.`;
  return undefined;
}
