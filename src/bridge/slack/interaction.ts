import { z } from 'zod';

import { eventKey, fingerprint } from './ids.ts';

/** The values of a modal by field: a text, an id, Unix seconds, or several values; null if empty. */
export type Filled = Readonly<Record<string, string | readonly string[] | null>>;

/** An interaction with a button, a menu or a modal, in the bridge's own types. */
export type Interaction<Message> =
  | { kind: 'action'; key: string; action: ChatAction }
  | { kind: 'shortcut'; key: string; shortcut: ChatShortcut<Message> }
  | { kind: 'global-shortcut'; key: string; shortcut: GlobalShortcut }
  | { kind: 'submission'; key: string; submission: ChatSubmission };

const text = z.string().catch('');
const optional = z.string().optional().catch(undefined);

const Actor = {
  trigger_id: z.string(),
  user: z.object({ id: z.string(), team_id: optional }),
  team: z.object({ id: z.string() }).nullish().catch(undefined),
};
const Option = z.object({ value: z.string() });

const StateValues = z.record(z.string(), z.record(z.string(), z.unknown()).catch({}));
/** A view without inputs has an empty state, or none. */
const State = z.object({ values: StateValues }).catch({ values: {} });

/** The state of an input element (https://docs.slack.dev/reference/views#state_value_object). */
const InputState = z.union([
  z
    .object({ selected_options: z.array(Option) })
    .transform((state) => state.selected_options.map(({ value }) => value)),
  z.object({ selected_option: Option.nullable() }).transform((state) => state.selected_option?.value ?? null),
  z.object({ selected_users: z.array(z.string()) }).transform((state) => state.selected_users),
  z.object({ selected_date: z.string().nullable() }).transform((state) => state.selected_date),
  z.object({ selected_time: z.string().nullable() }).transform((state) => state.selected_time),
  // The bridge identifies a file by its permalink.
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
    initial_options: z.array(Option).optional().catch(undefined),
    initial_date_time: z.number().optional().catch(undefined),
  }),
});

/** Returns the values of a view by block id: each block has one element with a value. */
function valuesByBlock(blocks: z.infer<typeof StateValues>): Filled {
  return valuesOf(Object.entries(blocks).map(([blockId, block]) => [blockId, Object.values(block)[0]]));
}

function valuesOf(states: readonly (readonly [name: string, state: unknown])[]): Filled {
  return Object.fromEntries(states.map(([name, state]) => [name, InputState.catch(null).parse(state)]));
}

function initialOf(block: unknown): [string, string | string[] | null][] {
  const parsed = InputBlock.safeParse(block);
  if (!parsed.success) return [];
  const { action_id, initial_value, initial_user, initial_option, initial_options, initial_date_time } =
    parsed.data.element;
  const value =
    initial_value ??
    initial_user ??
    initial_option?.value ??
    initial_options?.map((option) => option.value) ??
    initial_date_time?.toString();
  return [[action_id, value ?? null]];
}

function teamOf({ team, user }: z.infer<z.ZodObject<typeof Actor>>): string {
  return team?.id ?? user.team_id ?? '';
}

/** A pressed button, or a selected option, in a message. */
export type ChatAction = z.output<typeof BlockActions>;

const BlockActions = z
  .object({
    type: z.literal('block_actions'),
    ...Actor,
    channel: z.object({ id: z.string() }).nullish().catch(undefined),
    message: z.object({ ts: z.string(), thread_ts: optional }).nullish().catch(undefined),
    container: z
      .object({ channel_id: optional, message_ts: optional, thread_ts: optional })
      .nullish()
      .catch(undefined),
    response_url: text,
    view: z
      .object({
        id: z.string(),
        callback_id: text,
        external_id: text,
        private_metadata: text,
        state: State,
      })
      .nullish()
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
  })
  .transform(({ actions: [action], view, message, container, ...data }) => ({
    team: teamOf(data),
    channel: data.channel?.id ?? container?.channel_id ?? '',
    user: data.user.id,
    actionId: action.action_id,
    /** The block that contains it. */
    blockId: action.block_id,
    /** A button's value, or that of the selected option. */
    value: action.value ?? action.selected_option?.value ?? '',
    triggerId: data.trigger_id,
    responseUrl: data.response_url,
    /** The thread of the message, else the message itself; absent in a modal. */
    thread: message?.thread_ts ?? message?.ts ?? container?.thread_ts ?? container?.message_ts,
    /** Slack's time of the action. */
    at: action.action_ts,
    /** The modal or Home that contains it; absent in a message. */
    view: view
      ? {
          id: view.id,
          callbackId: view.callback_id,
          /** Our own id; empty if there is none. */
          externalId: view.external_id,
          metadata: view.private_metadata,
          /** The current values, by block id. */
          filled: valuesByBlock(view.state.values),
        }
      : undefined,
  }));

export interface ChatShortcut<Message> extends GlobalShortcut {
  responseUrl: string;
  message: Message;
}

const MessageShortcut = z.object({
  type: z.literal('message_action'),
  ...Actor,
  callback_id: z.string(),
  channel: z.object({ id: z.string() }),
  message: z.unknown(),
  response_url: text,
});

interface GlobalShortcut {
  team: string;
  user: string;
  callbackId: string;
  triggerId: string;
}

const GlobalShortcutPayload = z.object({
  type: z.literal('shortcut'),
  ...Actor,
  callback_id: z.string(),
});

/** A submitted modal. */
export type ChatSubmission = z.output<typeof ViewSubmission>['submission'];

const ViewSubmission = z
  .object({
    type: z.literal('view_submission'),
    ...Actor,
    view: z.object({
      id: z.string(),
      hash: text,
      callback_id: text,
      private_metadata: text,
      blocks: z.array(z.unknown()).catch([]),
      state: State,
    }),
  })
  .transform(({ view, ...data }) => ({
    key: eventKey.submission(view.id, view.hash),
    submission: {
      team: teamOf(data),
      user: data.user.id,
      viewId: view.id,
      callbackId: view.callback_id,
      metadata: view.private_metadata,
      values: valuesOf(Object.values(view.state.values).flatMap((block) => Object.entries(block))),
      initial: Object.fromEntries(view.blocks.flatMap(initialOf)),
      /** The same as `values`, by block id. */
      filled: valuesByBlock(view.state.values),
    },
  }));

/**
 * Parses an action on a button, a menu or a modal; undefined if it is none of these. Never throws.
 * @param readMessage parses the message of a shortcut.
 */
export function parseInteraction<Message>(
  given: unknown,
  readMessage: (team: string, channel: string, raw: unknown) => Message | undefined,
): Interaction<Message> | undefined {
  const body = withTrigger(given);
  const { data: action } = BlockActions.safeParse(body);
  if (action) return { kind: 'action', key: eventKey.trigger(action.triggerId), action };
  const { data: submission } = ViewSubmission.safeParse(body);
  if (submission) return { kind: 'submission', ...submission };
  const { data: global } = GlobalShortcutPayload.safeParse(body);
  if (global)
    return {
      kind: 'global-shortcut',
      key: eventKey.trigger(global.trigger_id),
      shortcut: shortcutOf(global),
    };
  const { data } = MessageShortcut.safeParse(body);
  const message = data && readMessage(teamOf(data), data.channel.id, data.message);
  return (
    message && {
      kind: 'shortcut',
      key: eventKey.trigger(data.trigger_id),
      shortcut: { ...shortcutOf(data), responseUrl: data.response_url, message },
    }
  );
}

function shortcutOf(data: Omit<z.infer<typeof GlobalShortcutPayload>, 'type'>): GlobalShortcut {
  return {
    team: teamOf(data),
    user: data.user.id,
    callbackId: data.callback_id,
    triggerId: data.trigger_id,
  };
}

/**
 * Returns a body that has a trigger, which identifies a user's action and allows to open a modal. Slack omits it from
 * some interactions: these get one made from their content, so that a repetition is recognised; it opens no modal.
 */
export function withTrigger(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || 'event' in body) return body;
  const { trigger_id: trigger } = body as { trigger_id?: unknown };
  const isGiven = typeof trigger === 'string' && trigger !== '';
  return isGiven ? body : { ...body, trigger_id: `none-${fingerprint(body)}` };
}

const NOT_READ = 'This could not be read, so nothing changed. Try again; if it happens again, tell an admin.';

/** All interactions that a user waits for, with older kinds (https://docs.slack.dev/interactivity). */
const UnreadInteraction = z.object({
  type: z.enum(['block_actions', 'view_submission', 'shortcut', 'message_action', 'interactive_message']),
  response_url: text,
  view: z
    .object({ blocks: z.array(z.unknown()).catch([]) })
    .nullish()
    .catch(undefined),
});
/** A slash command (https://docs.slack.dev/interactivity/implementing-slash-commands). */
const UnreadCommand = z.object({ command: z.string(), response_url: text });
const AnyInput = z.object({ type: z.literal('input'), block_id: z.string() });

/**
 * Returns the response to an interaction that cannot be read; undefined if the body is no interaction. A modal stays
 * open with the values in it, whereas an empty acknowledgement would close it.
 * @returns `acknowledgement` is its body, `text` is what to send to `responseUrl`.
 */
export function unreadInteraction(
  body: unknown,
): { acknowledgement: Record<string, unknown> | undefined; responseUrl: string; text: string } | undefined {
  const { data: command } = UnreadCommand.safeParse(body);
  if (command) return { acknowledgement: { text: NOT_READ }, responseUrl: '', text: NOT_READ };
  const { data } = UnreadInteraction.safeParse(body);
  if (!data) return undefined;
  const reply = { responseUrl: data.response_url, text: NOT_READ };
  if (data.type !== 'view_submission') return { ...reply, acknowledgement: undefined };
  const [input] = (data.view?.blocks ?? []).flatMap((block) => AnyInput.safeParse(block).data ?? []);
  if (input)
    return {
      ...reply,
      acknowledgement: { response_action: 'errors', errors: { [input.block_id]: NOT_READ } },
    };
  const view = {
    type: 'modal',
    title: { type: 'plain_text', text: 'Not saved' },
    blocks: [{ type: 'section', text: { type: 'plain_text', text: NOT_READ } }],
  };
  return { ...reply, acknowledgement: { response_action: 'push', view } };
}
