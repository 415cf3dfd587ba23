import { z } from 'zod';

import { eventKey } from './ids.ts';

/** The values in a modal, by field: text, an id, Unix seconds, several values; null if empty. */
export type Filled = Readonly<Record<string, string | readonly string[] | null>>;

/** Interactions with buttons, menus and modals, in our own types. */
export type Interaction<Message> =
  | { kind: 'action'; key: string; action: ChatAction }
  | { kind: 'shortcut'; key: string; shortcut: ChatShortcut<Message> }
  | { kind: 'global-shortcut'; key: string; shortcut: GlobalShortcut }
  | { kind: 'submission'; key: string; submission: ChatSubmission };

/** A pressed button, or a selected option, in a message. */
export interface ChatAction {
  team: string;
  channel: string;
  user: string;
  actionId: string;
  /** The block that contains it. */
  blockId: string;
  /** A button's value, or that of the selected option. */
  value: string;
  triggerId: string;
  responseUrl: string;
  /** The thread of the message, else the message itself; absent in a modal. */
  thread: string | undefined;
  /** Slack's time of the action. */
  at: string;
  /** The modal or Home that contains it; absent in a message. */
  view: ChatView | undefined;
}

/** A modal or a Home with its contents. */
interface ChatView {
  id: string;
  callbackId: string;
  /** Our own id; empty if there is none. */
  externalId: string;
  /** Our private metadata. */
  metadata: string;
  /** The current values, by block id. */
  filled: Filled;
}

/** A global shortcut. */
interface GlobalShortcut {
  team: string;
  user: string;
  callbackId: string;
  triggerId: string;
}

/** A message shortcut. */
export interface ChatShortcut<Message> {
  team: string;
  user: string;
  callbackId: string;
  triggerId: string;
  responseUrl: string;
  /** The message it was used on. */
  message: Message;
}

/** A submitted modal. */
export interface ChatSubmission {
  team: string;
  user: string;
  viewId: string;
  callbackId: string;
  /** Our private metadata. */
  metadata: string;
  /**
   * The current values, by action id: text, an option's value, an id, Unix seconds, or several values; null if empty.
   */
  values: Filled;
  /** The initial values. */
  initial: Filled;
  /** The same as `values`, by block id. */
  filled: Filled;
}

const text = z.string().catch('');
const optional = z.string().optional().catch(undefined);

const By = {
  trigger_id: z.string(),
  user: z.object({ id: z.string(), team_id: optional }),
  team: z.object({ id: z.string() }).nullish(),
};
const Option = z.object({ value: z.string() });

const StateValues = z.record(z.string(), z.record(z.string(), z.unknown()));

const BlockActions = z.object({
  type: z.literal('block_actions'),
  ...By,
  channel: z.object({ id: z.string() }).optional(),
  message: z.object({ ts: z.string(), thread_ts: optional }).optional().catch(undefined),
  response_url: text,
  view: z
    .object({
      id: z.string(),
      callback_id: text,
      external_id: text,
      private_metadata: text,
      state: z.object({ values: StateValues }).catch({ values: {} }),
    })
    .optional()
    .catch(undefined),
  actions: z.tuple(
    [
      z.object({
        action_id: z.string(),
        block_id: text,
        action_ts: text,
        value: optional,
        selected_option: Option.nullish().catch(undefined),
      }),
    ],
    z.unknown(),
  ),
});

const MessageShortcut = z.object({
  type: z.literal('message_action'),
  ...By,
  callback_id: z.string(),
  channel: z.object({ id: z.string() }),
  message: z.unknown(),
  response_url: text,
});

const GlobalShortcutPayload = z.object({
  type: z.literal('shortcut'),
  ...By,
  callback_id: z.string(),
});

const ViewSubmission = z.object({
  type: z.literal('view_submission'),
  ...By,
  view: z.object({
    id: z.string(),
    hash: text,
    callback_id: text,
    private_metadata: text,
    blocks: z.array(z.unknown()).catch([]),
    state: z.object({ values: StateValues }),
  }),
});

/** The state of an input element (https://docs.slack.dev/reference/views#state_value_object). */
const InputState = z.union([
  z
    .object({ selected_options: z.array(Option) })
    .transform((state) => state.selected_options.map(({ value }) => value)),
  z.object({ selected_option: Option.nullable() }).transform((state) => state.selected_option?.value ?? null),
  z.object({ selected_users: z.array(z.string()) }).transform((state) => state.selected_users),
  z.object({ selected_date: z.string().nullable() }).transform((state) => state.selected_date),
  z.object({ selected_time: z.string().nullable() }).transform((state) => state.selected_time),
  // A file is identified by its permalink.
  z
    .object({ files: z.array(z.object({ permalink: z.string() })) })
    .transform((state) => state.files.map(({ permalink }) => permalink)),
  z.object({ selected_user: z.string().nullable() }).transform((state) => state.selected_user),
  z
    .object({ selected_date_time: z.number().nullable() })
    .transform((state) => state.selected_date_time?.toString() ?? null),
  z.object({ value: z.string().nullish() }).transform((state) => state.value ?? null),
]);

/** The initial value of an input block (https://docs.slack.dev/reference/block-kit/block-elements). */
const InputBlock = z.object({
  type: z.literal('input'),
  element: z.object({
    action_id: z.string(),
    initial_value: optional,
    initial_user: optional,
    initial_option: Option.optional().catch(undefined),
    initial_date_time: z.number().optional().catch(undefined),
  }),
});

/**
 * Parses an action on a button, a menu or a modal; undefined if it is none of these. Never throws.
 * @param readMessage parses the message of a shortcut.
 */
export function parseInteraction<Message>(
  body: unknown,
  readMessage: (team: string, channel: string, raw: unknown) => Message | undefined,
): Interaction<Message> | undefined {
  const action = BlockActions.safeParse(body);
  if (action.success) return actionOf(action.data);
  const submission = ViewSubmission.safeParse(body);
  if (submission.success) return submissionOf(submission.data);
  const global = GlobalShortcutPayload.safeParse(body);
  if (global.success) {
    const { callback_id: callbackId, trigger_id: triggerId, user } = global.data;
    const chosen = { team: teamOf(global.data), user: user.id, callbackId, triggerId };
    return { kind: 'global-shortcut', key: eventKey.trigger(triggerId), shortcut: chosen };
  }
  const shortcut = MessageShortcut.safeParse(body);
  if (!shortcut.success) return undefined;
  const { data } = shortcut;
  const team = teamOf(data);
  const message = readMessage(team, data.channel.id, data.message);
  if (!message) return undefined;
  return {
    kind: 'shortcut',
    key: eventKey.trigger(data.trigger_id),
    shortcut: {
      team,
      user: data.user.id,
      callbackId: data.callback_id,
      triggerId: data.trigger_id,
      responseUrl: data.response_url,
      message,
    },
  };
}

function actionOf(data: z.infer<typeof BlockActions>): Interaction<never> {
  const [{ action_id: actionId, block_id: blockId, action_ts: at, value, selected_option: option }] =
    data.actions;
  return {
    kind: 'action',
    key: eventKey.trigger(data.trigger_id),
    action: {
      team: teamOf(data),
      channel: data.channel?.id ?? '',
      user: data.user.id,
      actionId,
      blockId,
      value: value ?? option?.value ?? '',
      triggerId: data.trigger_id,
      responseUrl: data.response_url,
      thread: data.message?.thread_ts ?? data.message?.ts,
      at,
      view: data.view && {
        id: data.view.id,
        callbackId: data.view.callback_id,
        externalId: data.view.external_id,
        metadata: data.view.private_metadata,
        filled: filledIn(data.view.state.values),
      },
    },
  };
}

function submissionOf(data: z.infer<typeof ViewSubmission>): Interaction<never> {
  const { view, user } = data;
  const states = Object.values(view.state.values).flatMap((block) => Object.entries(block));
  return {
    kind: 'submission',
    key: eventKey.submission(view.id, view.hash),
    submission: {
      team: teamOf(data),
      user: user.id,
      viewId: view.id,
      callbackId: view.callback_id,
      metadata: view.private_metadata,
      values: Object.fromEntries(
        states.map(([actionId, state]) => [actionId, InputState.catch(null).parse(state)]),
      ),
      initial: Object.fromEntries(view.blocks.flatMap(initialOf)),
      filled: filledIn(view.state.values),
    },
  };
}

/** Returns the values of a view, by block: each block has one element with a value. */
function filledIn(values: z.infer<typeof StateValues>): Filled {
  return Object.fromEntries(
    Object.entries(values).map(([blockId, block]) => [
      blockId,
      InputState.catch(null).parse(Object.values(block)[0]),
    ]),
  );
}

function initialOf(block: unknown): [string, string | null][] {
  const parsed = InputBlock.safeParse(block);
  if (!parsed.success) return [];
  const { action_id, initial_value, initial_user, initial_option, initial_date_time } = parsed.data.element;
  const value = initial_value ?? initial_user ?? initial_option?.value ?? initial_date_time?.toString();
  return [[action_id, value ?? null]];
}

function teamOf({ team, user }: z.infer<z.ZodObject<typeof By>>): string {
  return team?.id ?? user.team_id ?? '';
}
