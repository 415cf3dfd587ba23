import { z } from 'zod';

import { elementsOf } from '../blocks/layout.ts';
import { parseRichText } from '../rich-text/parse.ts';
import { asText, heldBy, holds, type OpenView, elementOptions, elementState } from '../views/open-view.ts';
import type { StateValues } from '../views/view.ts';
import type { Block, Json, JsonObject, StoredMessage } from '../workspace/content.ts';
import type { Person, Records } from '../workspace/directory.ts';
import { fileObject, findFile } from '../workspace/files.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { readingOf } from '../workspace/reading.ts';
import type { ActionSaid } from './payloads.ts';

/**
 * A value that a person enters: text for a text field (a rich text field reads it as the composer does, or
 * takes its `rich_text` block), an option's `value`, an id, a date `YYYY-MM-DD`, a time `HH:mm`, Unix seconds; a list
 * where several can be chosen (ids of files for a file field); null empties it.
 */
export const enteredValue = z.union([
  z.string(),
  z.number(),
  z.null(),
  z.array(z.string()),
  z.record(z.string(), z.json()),
]);
export type Given = z.output<typeof enteredValue>;

/** The values of a form, by block id and action id, as in `state.values`. */
export const givenValues = z.record(z.string(), z.record(z.string(), enteredValue));
export type GivenValues = z.output<typeof givenValues>;

/** The element or option does not exist. */
export class NoSuchElement extends Error {
  override readonly name = 'NoSuchElement';
}

/** The state of a form: the options of external selects, and the current values. */
export interface Filling {
  workspace: Workspace;
  /** The form's user. */
  userId: string;
  /** The last options of an external select. */
  offered: (element: JsonObject) => readonly JsonObject[];
}

/** Returns the state of an element after a person enters `value`; throws if the client would reject it. */
export function fillElement(
  filling: Filling,
  element: JsonObject,
  value: Given,
  now?: JsonObject,
): JsonObject {
  if (element['type'] === 'file_input') return elementState(element, files(filling, element, value));
  return elementState(element, heldAfter(filling, element, value, now));
}

function heldAfter(filling: Filling, element: JsonObject, value: Given, now?: JsonObject): Json {
  const { directory } = filling.workspace;
  switch (element['type']) {
    case 'rich_text_input':
      return richText(filling.workspace, value);
    case 'datepicker':
      return matching(value, /^\d{4}-\d{2}-\d{2}$/, 'a date YYYY-MM-DD');
    case 'timepicker':
      return matching(value, /^([01]\d|2[0-3]):[0-5]\d$/, 'a time HH:mm');
    case 'datetimepicker':
      return value === null ? null : Number(matching(value, /^\d{10}$/, 'Unix seconds'));
    case 'static_select':
    case 'external_select':
    case 'radio_buttons':
    case 'overflow':
      return value === null ? null : optionNamed(filling, element, value, now);
    case 'multi_static_select':
    case 'multi_external_select':
    case 'checkboxes':
      return several(value).map((one) => optionNamed(filling, element, one, now));
    case 'users_select':
      return value === null ? null : knownId(directory.people, value, 'person');
    case 'multi_users_select':
      return several(value).map((one) => knownId(directory.people, one, 'person'));
    case 'conversations_select':
    case 'channels_select':
      return value === null ? null : knownId(directory.channels, value, 'conversation');
    case 'multi_conversations_select':
    case 'multi_channels_select':
      return several(value).map((one) => knownId(directory.channels, one, 'conversation'));
    default:
      return plainText(value);
  }
}

/** The option of an element with that value. */
export function optionNamed(
  { offered }: Filling,
  element: JsonObject,
  value: Given,
  now?: JsonObject,
): JsonObject {
  const held = [heldBy(element, now)].flat();
  const known = [
    ...elementOptions(element),
    ...offered(element),
    ...([element['initial_option'], element['initial_options'], held].flat(2) as (JsonObject | null)[]),
  ].filter((option) => typeof option === 'object' && option !== null);
  const found = known.find((option) => option['value'] === value);
  if (found) return found;
  const values = known.map((option) => asText(option['value'])).join(', ');
  throw new NoSuchElement(
    `"${asText(element['action_id'])}" offers no option ${JSON.stringify(value)}; it offers: ${values || 'none (an external select is asked by `suggest` first)'}`,
  );
}

function plainText(value: Given): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD').toWellFormed();
  if (typeof value === 'number') return String(value);
  throw new NoSuchElement('a text field takes text');
}

function matching(value: Given, form: RegExp, what: string): string | null {
  if (value === null || value === '') return null;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (!form.test(text)) throw new NoSuchElement(`this field takes ${what}`);
  return text;
}

function several(value: Given): string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  throw new NoSuchElement('this field takes a list');
}

function knownId(known: Pick<Records<unknown>, 'has'>, value: Given, what: string): string {
  if (typeof value === 'string' && known.has(value)) return value;
  throw new NoSuchElement(`there is no ${what} with the id ${JSON.stringify(value)}`);
}

/** Files that this person uploaded before. */
function files({ workspace, userId }: Filling, { filetypes }: JsonObject, value: Given): JsonObject[] {
  const chosen: JsonObject[] = [];
  for (const id of several(value)) {
    const file = findFile(workspace, id);
    if (file?.user_id !== userId || file.state === 'deleted')
      throw new NoSuchElement(`this person has no file with the id ${JSON.stringify(id)}`);
    const shown = fileObject(workspace, workspace.baseUrl, file);
    if (Array.isArray(filetypes) && !filetypes.includes(shown.filetype))
      throw new NoSuchElement(`this field takes files of the kinds: ${filetypes.map(asText).join(', ')}`);
    chosen.push(shown);
  }
  return chosen;
}

/** Slack sends the block without its id. */
function richText({ directory, ids }: Workspace, value: Given): Json {
  if (value === null || value === '') return null;
  if (typeof value === 'string') {
    const { block } = parseRichText(value, readingOf(directory, true), ids.blockId());
    return block ? { type: block.type, elements: block['elements'] ?? [] } : null;
  }
  if (typeof value === 'object' && !Array.isArray(value) && value['type'] === 'rich_text') return value;
  throw new NoSuchElement('a rich text field takes text or a rich_text block');
}

/** An action on an element: which one, and the value. */
const named = z.object({
  actionId: z.string(),
  /** Needed if several blocks have an element with that action id. */
  blockId: z.string().optional(),
  /** The value; absent: a button is pressed, a field is sent unchanged. */
  value: enteredValue.optional(),
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

/** Sets the values of elements, or changes nothing if one is invalid. */
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
      const state = fillElement(filling, element, value, values[blockId]?.[actionId]);
      states.push({ blockId, actionId, state });
    }
  for (const { blockId, actionId, state } of states) (values[blockId] ??= {})[actionId] = state;
}

/** The entry in `actions`, and whether it is sent at once. */
export function act(
  filling: Filling,
  blocks: readonly Block[],
  values: StateValues,
  { actionId, blockId, value }: Action,
): { said: ActionSaid; sent: boolean } {
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
    // Fields of input blocks are sent with the submission, unless they ask for more.
    sent: block.type !== 'input' || block['dispatch_action'] === true,
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

/** A message or view with elements. */
export interface Surface {
  blocks: readonly Block[];
  /** The values; changed in place. */
  values: StateValues;
  filling: Filling;
  /** `container` of payloads. */
  container: JsonObject;
  /** Stores the options of an external select. */
  offer: (element: JsonObject, options: JsonObject[]) => void;
}

export function inMessage(workspace: Workspace, { id }: Person, message: StoredMessage): Surface {
  const { drafts } = workspace;
  const place = `${message.channel_id} ${message.ts}`;
  return {
    blocks: message.content.blocks ?? [],
    values: drafts.of(id, message),
    filling: { workspace, userId: id, offered: (element) => drafts.offered(id, place, element) },
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: message.channel_id,
      is_ephemeral: message.ephemeral_for !== null,
      ...(message.thread_ts === null ? {} : { thread_ts: message.thread_ts }),
    },
    offer: (element, options) => drafts.offer(id, place, element, options),
  };
}

export function inView(workspace: Workspace, view: OpenView): Surface {
  const { drafts } = workspace;
  const { id, userId } = view;
  return {
    blocks: view.definition.blocks,
    values: view.values,
    filling: { workspace, userId, offered: (element) => drafts.offered(userId, id, element) },
    container: { type: 'view', view_id: id },
    offer: (element, options) => drafts.offer(userId, id, element, options),
  };
}
