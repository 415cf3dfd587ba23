import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { Button, InputBlock, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';

import { PRIORITY_WORD, shorten } from '../../contract/index.ts';
import { type Subject, subjectBlock } from './card.ts';
import { actions, button, INPUT_CHARACTERS, modal, optionOf, plain, section, textArea } from './kit.ts';

/** Callback ids of the shortcuts in manifest.yml. */
export const SHORTCUTS = {
  createTicket: 'create_ticket',
  fillForm: 'fill_form',
  newTicket: 'new_ticket',
  sendToRequester: 'send_to_requester',
  ticketActions: 'ticket_actions',
} as const;

export const MODALS = {
  manage: 'manage_ticket',
  own: 'manage_own_ticket',
  reply: 'reply_to_requester',
  details: 'add_details',
} as const;

/** Action ids of the inputs; those of a ticket's fields have the names of `PUT /tickets/{id}`. */
export const FIELDS = {
  title: 'title',
  description: 'description',
  status: 'statusId',
  priority: 'priority',
  assignee: 'assigneeId',
  queue: 'queueId',
  tags: 'tags',
  due: 'dueAt',
  snooze: 'snoozeUntil',
  /** Which of the above to clear. */
  clear: 'clear',
  reply: 'reply',
} as const;

const TITLE_CHARACTERS = 300;
/** https://docs.slack.dev/reference/block-kit/blocks/section-block */
const SECTION_CHARACTERS = 3_000;

/** Returns the modal shown until the service has answered. */
export function loadingModal(title: string, externalId: string): ModalView {
  return modal(title, [section(':hourglass_flowing_sand: One moment…')], { external_id: externalId });
}

export function sayingModal(title: string, text: string): ModalView {
  return modal(title, [section(shorten(text, SECTION_CHARACTERS))], { close: plain('Close') });
}

/** The message while the service is unavailable. */
export const SERVICE_AWAY = 'The help desk is unavailable. Try again in a minute.';

/** Action ids that work on any message. */
export const MESSAGE_ACTIONS = { why: 'message_why', retry: 'message_retry' } as const;

/** Returns the modal with the actions on the message that it was opened on (B54, B55). */
export function withMessageActions(
  view: ModalView,
  message: { channel: string; ts: string },
  failed: boolean,
): ModalView {
  const buttons = [
    messageButton(MESSAGE_ACTIONS.why, 'Why?', message),
    ...(failed ? [messageButton(MESSAGE_ACTIONS.retry, 'Retry', message)] : []),
  ];
  return { ...view, blocks: [...view.blocks, { type: 'divider' }, actions(buttons)] };
}

export function messageButton(
  actionId: string,
  text: string,
  { channel, ts }: { channel: string; ts: string },
): Button {
  return button(actionId, text, `${channel} ${ts}`);
}

/** Returns the message of a button; undefined if it is not ours. */
export function messageIn(value: string): { channel: string; ts: string } | undefined {
  const [, channel, ts] = /^(\w+) (\d+\.\d+)$/.exec(value) ?? [];
  return channel !== undefined && ts !== undefined ? { channel, ts } : undefined;
}

const heading = (ticket: Subject) => subjectBlock(ticket, TITLE_CHARACTERS);

/** The team's actions on a ticket, with the current values (B25). */
interface ManageForm extends Subject {
  description: string;
  statuses: readonly { id: string; label: string }[];
  statusId: string;
  priorities: readonly string[];
  priority: string;
  /** The chat user; undefined if there is none, or none in chat. */
  assignee: string | undefined;
  assigned: boolean;
  queues: readonly { id: string; label: string }[];
  queueId: string | null;
  due: Date | undefined;
  snooze: Date | undefined;
  /** The possible values, and the current ones. */
  tags: readonly { id: string; label: string }[];
  tagIds: readonly string[];
}

/** Returns the modal with all actions of the team (B25). */
export function manageModal(form: ManageForm, metadata: string): ModalView {
  const clearable = [
    ...(form.assigned ? [{ id: FIELDS.assignee, label: 'Assignee' }] : []),
    ...(form.due ? [{ id: FIELDS.due, label: 'Due date' }] : []),
    ...(form.snooze ? [{ id: FIELDS.snooze, label: 'Snooze' }] : []),
  ];
  const cleared = { type: 'checkboxes' as const, action_id: FIELDS.clear, options: clearable.map(optionOf) };
  const priorities = form.priorities.map((id) => ({ id, label: PRIORITY_WORD[id] ?? id }));
  return modal(
    'Manage ticket',
    [
      heading(form),
      ...select('Status', FIELDS.status, form.statuses, form.statusId),
      optional('Assigned to', FIELDS.assignee, {
        type: 'users_select',
        action_id: FIELDS.assignee,
        placeholder: plain('Nobody'),
        ...(form.assignee ? { initial_user: form.assignee } : {}),
      }),
      ...select('Priority', FIELDS.priority, priorities, form.priority),
      ...select('Queue', FIELDS.queue, form.queues, form.queueId),
      ...tagSelect(form),
      moment('Due', FIELDS.due, form.due),
      moment('Snoozed until', FIELDS.snooze, form.snooze),
      ...(clearable.length > 0 ? [optional('Clear', FIELDS.clear, cleared)] : []),
      ...typed('Title', FIELDS.title, form.title, false),
      ...typed('Description', FIELDS.description, form.description, true),
    ],
    { callback_id: MODALS.manage, private_metadata: metadata, submit: plain('Save') },
  );
}

/**
 * Returns the modal with a requester's actions (B25).
 * @param mergedInto a link to the ticket that continues in place of a merged one.
 */
export function requesterModal(
  ticket: Subject,
  { ended, mergedInto }: { ended: boolean; mergedInto: string | undefined },
  metadata: string,
): ModalView {
  return modal('Your request', [heading(ticket), section(requesterText(ended, mergedInto))], {
    callback_id: MODALS.own,
    private_metadata: metadata,
    submit: plain(ended ? 'Reopen' : 'Close request'),
  });
}

function requesterText(ended: boolean, mergedInto: string | undefined): string {
  if (mergedInto !== undefined)
    return `This request was merged into ${mergedInto}. What you write in its thread is added there. *Reopen* opens ${mergedInto} again if it is done.`;
  if (ended) return 'This request is done. Reopen it if you still need help, or reply in its thread.';
  return 'Close your request if you no longer need it. You can reopen it.';
}

/**
 * Returns the modal for a reply to the requester, from the team's channel (B15).
 * @param other the name of a user who is already replying (B57).
 */
export function replyModal(metadata: string, externalId: string, other?: string): ModalView {
  const warning =
    other === undefined ? [] : [section(`:writing_hand: *${escapeMrkdwn(other)}* is replying right now.`)];
  const hint = 'Posted in the requester’s thread as you.';
  return modal('Reply to requester', [...warning, textArea(FIELDS.reply, 'Your reply', hint)], {
    callback_id: MODALS.reply,
    external_id: externalId,
    private_metadata: metadata,
    submit: plain('Send'),
  });
}

/** Returns the modal for a requester's details (B25). */
export function detailsModal(metadata: string, externalId: string): ModalView {
  const hint = 'Posted in this thread as you.';
  return modal('Add details', [textArea(FIELDS.reply, 'Details', hint)], {
    callback_id: MODALS.details,
    external_id: externalId,
    private_metadata: metadata,
    submit: plain('Add'),
  });
}

/** Returns the menu of tags; omitted if there are none, or more than a menu holds. */
function tagSelect({ tags, tagIds }: ManageForm): KnownBlock[] {
  if (tags.length === 0 || tags.length > 100) return [];
  const chosen = tags.filter(({ id }) => tagIds.includes(id)).map(optionOf);
  return [
    optional('Tags', FIELDS.tags, {
      type: 'multi_static_select',
      action_id: FIELDS.tags,
      options: tags.map(optionOf),
      ...(chosen.length > 0 ? { initial_options: chosen } : {}),
    }),
  ];
}

/** Returns a menu; omitted if it would be empty. A menu holds at most a hundred options. */
function select(
  label: string,
  actionId: string,
  records: readonly { id: string; label: string }[],
  current: string | null,
): KnownBlock[] {
  const chosen = records.find(({ id }) => id === current);
  const shown = records.slice(0, 100);
  if (chosen && !shown.includes(chosen)) shown.splice(-1, 1, chosen);
  if (shown.length === 0) return [];
  return [
    {
      ...optional(label, actionId, {
        type: 'static_select',
        action_id: actionId,
        options: shown.map(optionOf),
        ...(chosen ? { initial_option: optionOf(chosen) } : {}),
      }),
      // A ticket always has a status and a priority; a queue that it has may be changed, not taken away.
      optional: chosen === undefined,
    },
  ];
}

function optional(label: string, actionId: string, element: InputBlock['element']): InputBlock {
  return { type: 'input', block_id: actionId, optional: true, label: plain(label), element };
}

function moment(label: string, actionId: string, at: Date | undefined): KnownBlock {
  return optional(label, actionId, {
    type: 'datetimepicker',
    action_id: actionId,
    ...(at ? { initial_date_time: Math.floor(at.getTime() / 1000) } : {}),
  });
}

/** Returns a text field; omitted if the text is longer than Slack's limit, because it would be cut. */
function typed(label: string, actionId: string, text: string, multiline: boolean): KnownBlock[] {
  if (text.length > INPUT_CHARACTERS) return [];
  return [
    {
      ...optional(label, actionId, {
        type: 'plain_text_input',
        action_id: actionId,
        multiline,
        max_length: INPUT_CHARACTERS,
        ...(text === '' ? {} : { initial_value: text }),
      }),
      optional: multiline,
    },
  ];
}

/** Where a modal was opened; stored in its `private_metadata`. */
export const ModalContext = z.object({
  ticket: z.string(),
  /** Where errors are reported to its user. */
  channel: z.string(),
  thread: z.string().optional(),
  /** The effect of submitting it, if it has no fields. */
  act: z.enum(['close', 'reopen']).optional(),
});
export type ModalContext = z.infer<typeof ModalContext>;

/** Returns what we stored in a window or a button; undefined if it is not ours. */
export function readStored<Schema extends z.ZodType>(
  schema: Schema,
  json: string,
): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}
