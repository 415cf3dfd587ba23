import { elementsOf } from '../blocks/layout.ts';
import type { Block, Json, JsonObject } from '../workspace/content.ts';
import type { StateValues } from './view.ts';

/** Where an element's value stands in its state, and where the app says what it is at first. */
interface Holding {
  key: string;
  initial?: string;
  empty: Json;
}

const text = { key: 'value', initial: 'initial_value', empty: null };
const option = { key: 'selected_option', initial: 'initial_option', empty: null };
const options = { key: 'selected_options', initial: 'initial_options', empty: [] };

/** docs.slack.dev/reference/interaction-payloads/view-interactions-payload, "state object"; SDK: bolt `ViewStateValue`. */
const HOLDINGS: Readonly<Record<string, Holding>> = {
  plain_text_input: text,
  email_text_input: text,
  url_text_input: text,
  number_input: text,
  rich_text_input: { key: 'rich_text_value', initial: 'initial_value', empty: null },
  datepicker: { key: 'selected_date', initial: 'initial_date', empty: null },
  timepicker: { key: 'selected_time', initial: 'initial_time', empty: null },
  datetimepicker: { key: 'selected_date_time', initial: 'initial_date_time', empty: null },
  static_select: option,
  external_select: option,
  radio_buttons: option,
  multi_static_select: options,
  multi_external_select: options,
  checkboxes: options,
  users_select: { key: 'selected_user', initial: 'initial_user', empty: null },
  multi_users_select: { key: 'selected_users', initial: 'initial_users', empty: [] },
  conversations_select: { key: 'selected_conversation', initial: 'initial_conversation', empty: null },
  multi_conversations_select: {
    key: 'selected_conversations',
    initial: 'initial_conversations',
    empty: [],
  },
  channels_select: { key: 'selected_channel', initial: 'initial_channel', empty: null },
  multi_channels_select: { key: 'selected_channels', initial: 'initial_channels', empty: [] },
  file_input: { key: 'files', empty: [] },
};

/** Whether an element keeps what is put into it (a button and an overflow menu do not). */
export function holds(element: JsonObject): boolean {
  return HOLDINGS[typeOf(element)] !== undefined;
}

/** The state of an element that holds `value`. */
export function stateOf(element: JsonObject, value: Json): JsonObject {
  const holding = HOLDINGS[typeOf(element)];
  if (!holding) throw new Error(`an element of the type "${typeOf(element)}" holds nothing`);
  // A rich text field has no value rather than an empty one (SDK: `rich_text_value?: RichTextBlock`).
  const empty = holding.key === 'rich_text_value' && value === null;
  return {
    type: typeOf(element),
    ...(empty ? {} : { [holding.key]: value }),
    ...(element['timezone'] === undefined ? {} : { timezone: element['timezone'] }),
  };
}

/** What an element's state says it holds; null or an empty list for nothing. */
export function heldBy(element: JsonObject, state: JsonObject | undefined): Json {
  const holding = HOLDINGS[typeOf(element)];
  if (!holding) return null;
  return state?.[holding.key] ?? holding.empty;
}

export function isEmpty(held: Json): boolean {
  return held === null || held === '' || (Array.isArray(held) && held.length === 0);
}

/** The state before anybody touched it. `conversation`: where the person was when it opened. */
function initialState(element: JsonObject, conversation: string | undefined): JsonObject {
  const { initial = '', empty = null } = HOLDINGS[typeOf(element)] ?? {};
  const given = element[initial];
  if (given !== undefined) return stateOf(element, given);
  if (element['default_to_current_conversation'] === true && conversation !== undefined)
    return stateOf(element, Array.isArray(empty) ? [conversation] : conversation);
  return stateOf(element, empty);
}

/**
 * `state.values` of all stateful elements of these blocks. What was put into an element before stays where its
 * block id, action id and type stay (docs.slack.dev/reference/views, "Preserving input entry").
 */
export function statesOf(
  blocks: readonly Block[],
  before: StateValues = {},
  conversation?: string,
): StateValues {
  const values: StateValues = {};
  for (const block of blocks) {
    const blockId = asText(block['block_id']);
    for (const element of elementsOf(block).filter(holds)) {
      const actionId = asText(element['action_id']);
      const kept = before[blockId]?.[actionId];
      (values[blockId] ??= {})[actionId] =
        kept && kept['type'] === element['type'] && stillOffered(element, kept)
          ? kept
          : initialState(element, conversation);
    }
  }
  return values;
}

/** The options of a menu, its groups' included. */
export function optionsOf(element: JsonObject): JsonObject[] {
  const groups = (element['option_groups'] ?? []) as JsonObject[];
  return [
    ...((element['options'] ?? []) as JsonObject[]),
    ...groups.flatMap((group) => (group['options'] ?? []) as JsonObject[]),
  ];
}

/** A choice that the new menu does not offer is lost. */
function stillOffered(element: JsonObject, kept: JsonObject): boolean {
  const offered = optionsOf(element);
  if (offered.length === 0) return true;
  const chosen = [kept['selected_option'], kept['selected_options']].flat() as (JsonObject | null)[];
  return chosen.every((one) => !one || offered.some(({ value }) => value === one['value']));
}

export function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function typeOf(element: JsonObject): string {
  return asText(element['type']);
}
