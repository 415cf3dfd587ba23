import { z } from 'zod';

import { parseRichText } from '../rich-text/parse.ts';
import { asText, heldBy, optionsOf, stateOf } from '../views/element-state.ts';
import type { Json, JsonObject } from '../workspace/content.ts';
import { fileObject } from '../workspace/files-object.ts';
import { findFile } from '../workspace/files-store.ts';
import type { Records } from '../workspace/directory.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { readingOf } from '../workspace/write.ts';

/**
 * What a person puts into an element: text for a text field (a rich text field reads it as the composer does, or
 * takes its `rich_text` block), an option's `value`, an id, a date `YYYY-MM-DD`, a time `HH:mm`, Unix seconds; a list
 * where several can be chosen (ids of files for a file field); null empties it.
 */
export const given = z.union([
  z.string(),
  z.number(),
  z.null(),
  z.array(z.string()),
  z.record(z.string(), z.json()),
]);
export type Given = z.output<typeof given>;

/** What is put into a form, by block id and action id, as in `state.values`. */
export const givenValues = z.record(z.string(), z.record(z.string(), given));
export type GivenValues = z.output<typeof givenValues>;

/** An element, or a choice of it, that is not offered. */
export class NoSuchElement extends Error {
  override readonly name = 'NoSuchElement';
}

/** Where something is filled in: which menus of external selects were filled, and what is in an element now. */
export interface Filling {
  workspace: Workspace;
  /** Whose form it is. */
  userId: string;
  /** What an external select offered last. */
  offered: (element: JsonObject) => readonly JsonObject[];
}

/** The state of an element into which somebody puts `value`; refuses what the client would not let them. */
export function fill(filling: Filling, element: JsonObject, value: Given, now?: JsonObject): JsonObject {
  if (element['type'] === 'file_input') return stateOf(element, files(filling, element, value));
  return stateOf(element, heldAfter(filling, element, value, now));
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
      return plain(value);
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
    ...optionsOf(element),
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

function plain(value: Given): string | null {
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
