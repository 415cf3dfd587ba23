import { elementsOf, withIds } from '../blocks/layout.ts';
import type { Block, Json, JsonObject } from '../workspace/content.ts';
import type { App, Team } from '../workspace/directory.ts';
import type { IdMaker } from '../workspace/ids.ts';
import type { ApiView, PlainText, StateValues, ViewDefinition } from './view.ts';

/** A view that a person has open, with what they filled in. */
export interface OpenView {
  readonly id: string;
  readonly app: App;
  readonly userId: string;
  readonly rootId: string;
  readonly previousId: string | null;
  /** The conversation that was open when the modal opened. */
  readonly conversation: string | undefined;
  definition: ViewDefinition;
  hash: string;
  values: StateValues;
  /** Errors below fields, by block id. */
  errors: Record<string, string>;
  /** The error of the whole view. */
  notice: string | undefined;
  /** The submission waits for the app: the button is off. */
  submitting: boolean;
}

/** Home views have an invisible title (seen in recorded payloads). */
const HOME_TITLE: PlainText = { type: 'plain_text', text: 'View Title', emoji: true };

/** A view with a definition for the first time. */
export function newView(
  ids: IdMaker,
  place: Pick<OpenView, 'app' | 'userId' | 'conversation'> & { under?: OpenView | undefined },
  definition: ViewDefinition,
  hash: string,
): OpenView {
  const id = ids.slackId('V');
  const filled = withIds(definition.blocks, ids);
  return {
    id,
    app: place.app,
    userId: place.userId,
    rootId: place.under?.rootId ?? id,
    previousId: place.under?.id ?? null,
    conversation: place.conversation,
    definition: { ...definition, blocks: filled },
    hash,
    values: statesOf(filled, {}, place.conversation),
    errors: {},
    notice: undefined,
    submitting: false,
  };
}

/** Gives a view another definition; what is filled in stays where its ids stay. */
export function redefine(view: OpenView, ids: IdMaker, definition: ViewDefinition, hash: string): void {
  const filled = withIds(definition.blocks, ids);
  view.definition = { ...definition, blocks: filled };
  view.hash = hash;
  view.values = statesOf(filled, view.values, view.conversation);
  view.errors = {};
  view.notice = undefined;
}

/**
 * A view as payloads have it (docs.slack.dev/reference/interaction-payloads/view-interactions-payload). `home` is the
 * workspace of who has it before them, `team` the one that has installed the app.
 */
export function apiView(
  team: Team,
  view: OpenView,
  values: StateValues = view.values,
  home: Team = team,
): ApiView {
  const { definition } = view;
  return {
    id: view.id,
    team_id: home.id,
    type: definition.type,
    blocks: definition.blocks,
    private_metadata: definition.private_metadata ?? '',
    callback_id: definition.callback_id ?? '',
    state: { values },
    hash: view.hash,
    title: definition.title ?? HOME_TITLE,
    clear_on_close: definition.clear_on_close ?? false,
    notify_on_close: definition.notify_on_close ?? false,
    close: definition.close ?? null,
    submit: definition.submit ?? null,
    previous_view_id: view.previousId,
    root_view_id: view.rootId,
    app_id: view.app.id,
    external_id: definition.external_id ?? '',
    app_installed_team_id: team.id,
    bot_id: view.app.botId,
  };
}

/** The fields of an element's value and of its initial value. */
interface Holding {
  key: string;
  initial?: string;
  empty: Json;
}

const text = { key: 'value', initial: 'initial_value', empty: null };
const option = { key: 'selected_option', initial: 'initial_option', empty: null };
const options = { key: 'selected_options', initial: 'initial_options', empty: [] };

/**
 * docs.slack.dev/reference/interaction-payloads/view-interactions-payload, "state object"; SDK: bolt `ViewStateValue`.
 */
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
  multi_conversations_select: { key: 'selected_conversations', initial: 'initial_conversations', empty: [] },
  channels_select: { key: 'selected_channel', initial: 'initial_channel', empty: null },
  multi_channels_select: { key: 'selected_channels', initial: 'initial_channels', empty: [] },
  file_input: { key: 'files', empty: [] },
};

/** Whether an element keeps what is put into it (a button and an overflow menu do not). */
export function holds(element: JsonObject): boolean {
  return HOLDINGS[typeOf(element)] !== undefined;
}

/** The state of an element that holds `value`. */
export function elementState(element: JsonObject, value: Json): JsonObject {
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

/** Returns the value in an element's state; null or an empty list if it has none. */
export function heldBy(element: JsonObject, state: JsonObject | undefined): Json {
  const holding = HOLDINGS[typeOf(element)];
  if (!holding) return null;
  return state?.[holding.key] ?? holding.empty;
}

export function isEmpty(held: Json): boolean {
  return held === null || held === '' || (Array.isArray(held) && held.length === 0);
}

/** The initial state. `conversation`: the open conversation when the view opened. */
function initialState(element: JsonObject, conversation: string | undefined): JsonObject {
  const { initial = '', empty = null } = HOLDINGS[typeOf(element)] ?? {};
  const given = element[initial];
  if (given !== undefined) return elementState(element, given);
  if (element['default_to_current_conversation'] === true && conversation !== undefined)
    return elementState(element, Array.isArray(empty) ? [conversation] : conversation);
  return elementState(element, empty);
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
export function elementOptions(element: JsonObject): JsonObject[] {
  const groups = (element['option_groups'] ?? []) as JsonObject[];
  return [
    ...((element['options'] ?? []) as JsonObject[]),
    ...groups.flatMap((group) => (group['options'] ?? []) as JsonObject[]),
  ];
}

/** A value that the new menu lacks is removed. */
function stillOffered(element: JsonObject, kept: JsonObject): boolean {
  const offered = elementOptions(element);
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
