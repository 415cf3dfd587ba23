import { z } from 'zod';

import { elementsOf } from '../blocks/layout.ts';
import { asText, holds } from '../views/element-state.ts';
import type { StateValues } from '../views/view.ts';
import type { Block, JsonObject } from '../workspace/content.ts';
import type { ActionSaid } from './payloads.ts';
import { fill, type Filling, given, type GivenValues, NoSuchElement, optionNamed } from './fill.ts';

/** What a person did to an element: which one, and what they chose in it. */
const named = z.object({
  actionId: z.string(),
  /** Where several blocks have an element of that action id. */
  blockId: z.string().optional(),
  /** What they put in; left out: a button is pressed, a field is sent as it is. */
  value: given.optional(),
});
/** An action id alone names an element that needs no value. */
export const action = z.union([z.string().transform((actionId) => ({ actionId })), named]);
export type Action = z.output<typeof named>;

/** An element and its block. */
export interface Found {
  block: Block;
  element: JsonObject;
}

export function findElement(
  blocks: readonly Block[],
  wanted: { actionId: string; blockId?: string | undefined },
): Found {
  for (const block of blocks) {
    if (wanted.blockId !== undefined && block['block_id'] !== wanted.blockId) continue;
    const element = elementsOf(block).find((candidate) => candidate['action_id'] === wanted.actionId);
    if (element) return { block, element };
  }
  const offered = blocks.flatMap(elementsOf).map((element) => asText(element['action_id']));
  throw new NoSuchElement(
    `this has no element with the action id "${wanted.actionId}"; it has: ${offered.join(', ') || 'none'}`,
  );
}

/** Puts values into elements. Nothing is changed where one of them cannot be put in. */
export function fillIn(
  filling: Filling,
  blocks: readonly Block[],
  values: StateValues,
  puts: GivenValues,
): void {
  const states: { blockId: string; actionId: string; state: JsonObject }[] = [];
  for (const [blockId, byAction] of Object.entries(puts))
    for (const [actionId, value] of Object.entries(byAction)) {
      const { element } = findElement(blocks, { actionId, blockId });
      if (!holds(element)) throw new NoSuchElement(`"${actionId}" is not filled in but pressed`);
      const state = fill(filling, element, value, values[blockId]?.[actionId]);
      states.push({ blockId, actionId, state });
    }
  for (const { blockId, actionId, state } of states) (values[blockId] ??= {})[actionId] = state;
}

/** What an act on an element says in `actions`, and whether it is told at once. */
export function act(
  filling: Filling,
  blocks: readonly Block[],
  values: StateValues,
  { actionId, blockId, value }: Action,
): { said: ActionSaid; told: boolean } {
  const { block, element } = findElement(blocks, { actionId, blockId });
  const blockIdOf = asText(block['block_id']);
  if (holds(element) && value !== undefined)
    fillIn(filling, blocks, values, { [blockIdOf]: { [actionId]: value } });
  return {
    said: {
      action_id: actionId,
      block_id: blockIdOf,
      ...details(filling, element, values[blockIdOf]?.[actionId], value),
      type: asText(element['type']),
    },
    // Fields of input blocks are told with the submission, unless they ask for more.
    told: block.type !== 'input' || block['dispatch_action'] === true,
  };
}

/** docs.slack.dev/reference/interaction-payloads/block_actions-payload; SDK: bolt `types/actions/block-action`. */
function details(
  filling: Filling,
  element: JsonObject,
  state: JsonObject | undefined,
  value: Action['value'],
): JsonObject {
  switch (element['type']) {
    case 'overflow':
      return { selected_option: optionNamed(filling, element, value ?? null) };
    case 'feedback_buttons':
      return feedback(element, value);
    case 'workflow_button':
      throw new NoSuchElement('this button runs a workflow, which the sandbox has none of');
    default:
  }
  const { type: _type, ...held } = state ?? {};
  if (!state) return pick(element, ['text', 'value', 'style', 'url', 'icon']);
  if ('value' in held || 'rich_text_value' in held) return held;
  return {
    ...held,
    ...pick(
      element,
      Object.keys(element).filter((key) => key.startsWith('initial_') || key === 'placeholder'),
    ),
  };
}

function feedback(element: JsonObject, value: Action['value']): JsonObject {
  const buttons = [element['positive_button'], element['negative_button']] as JsonObject[];
  const pressed = buttons.find((button) => button['value'] === value);
  if (pressed) return pick(pressed, ['text', 'value']);
  const values = buttons.map((button) => asText(button['value'])).join(', ');
  throw new NoSuchElement(`these buttons have the values: ${values}`);
}

function pick(from: JsonObject, keys: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const key of keys) {
    const value = from[key];
    if (value !== undefined) picked[key] = value;
  }
  return picked;
}
