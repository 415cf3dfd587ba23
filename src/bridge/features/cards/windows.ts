import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import type { ModalView } from '@slack/types';

import { isBlank, priority } from '../../../contract/index.ts';
import { AnsweredError, ServiceError } from '../../../client/index.ts';
import {
  SHORTCUTS,
  detailsModal,
  loadingModal,
  manageModal,
  requesterModal,
  replyModal,
  sayingModal,
  SERVICE_AWAY,
  withMessageActions,
  ModalContext,
  FIELDS,
  MODALS,
  readStored,
} from '../../blocks/modals.ts';
import { CARD_ACTIONS, ticketOfControls } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import type { AnswerAtOnce } from '../../inbox/answer-in-time.ts';
import { type Act, hasEnded, may, type Relation } from '../../tickets/rules.ts';
import type { ChatEvent, EventOf } from '../../slack/chat-event.ts';
import type { ChatAction, ChatSubmission } from '../../slack/interaction.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import { findByMessage, findByThread } from '../../store/conversations.ts';
import { modalId } from '../../slack/ids.ts';
import { awayNotes } from '../../people/away.ts';
import { chatUsersOf, personOf, type Person } from '../../people/people.ts';
import { claimTicket } from './draw-card.ts';
import {
  mergeTargetOf,
  permissionsFor,
  readTicket,
  type Ticket,
  TICKET_GONE,
} from '../../tickets/find-ticket.ts';
import { deadLettersOf } from '../../inbox/dead-letters.ts';
import {
  type ActionAnswer,
  refusalText,
  closeOrReopen,
  refusalFor,
  setGroup,
  updateTicket,
} from '../../tickets/update-ticket.ts';
import { fillModal, answerInTime, sendEphemeral } from '../../inbox/answer-in-time.ts';
import { ticketLink, ticketUrl } from '../../tickets/ticket-facts.ts';
import { workspaceOfTicket } from '../../tickets/catalogue.ts';
import { actsOf, changesOf, windowErrors } from './rules.ts';
import { editedMarkdown, fieldToMarkdown, markdownToField } from '../../text/typed.ts';
import { writeMessage } from '../../threads/append-message.ts';
import type { Done } from '../../work.ts';

const NO_TICKET = 'This message is not on a ticket. *Create ticket* in its menu opens one.';

/** A window that a card's button, or a message's menu, opens (B25, B46). */
interface Window {
  title: string;
  /** Users who may not do this, or not see the ticket, read why instead. */
  act?: Act;
  /** The content that is shown at once. */
  opens: (metadata: string, externalId: string) => ModalView;
  /** The content that its work shows later; if undefined, the first content stays. */
  fills?: (bridge: Bridge, seen: SeenTicket) => Promise<ModalView | undefined>;
}

interface SeenTicket {
  by: Pressed;
  ticket: Ticket;
  person: Person;
  relation: Relation;
}

const MANAGE: Window = {
  title: 'Manage ticket',
  act: 'close',
  opens: (_, externalId) => loadingModal('Manage ticket', externalId),
  fills: manageFor,
};

const WINDOWS: Readonly<Record<string, Window>> = {
  [CARD_ACTIONS.manage]: MANAGE,
  [CARD_ACTIONS.reply]: {
    title: 'Reply to requester',
    act: 'reply',
    opens: replyModal,
    // Shows if another user already replies (B57).
    fills: async (bridge, { by, ticket, person }) => {
      const other = await claimTicket(bridge, ticket, person);
      return other === undefined ? undefined : replyModal(contextOf(by), modalId(by.triggerId), other);
    },
  },
  [CARD_ACTIONS.addDetails]: { title: 'Add details', opens: detailsModal },
};

/** The buttons that open one. */
export const WINDOW_ACTIONS = Object.keys(WINDOWS);

/** The modal that an event opens at once; its work fills it later, or says why it cannot (B25, B46). */
export async function cardWindow(_: Bridge, event: ChatEvent): Promise<ModalView | undefined> {
  if (event.kind === 'shortcut') {
    const { callbackId, triggerId } = event.shortcut;
    return callbackId === SHORTCUTS.ticketActions ? MANAGE.opens('', modalId(triggerId)) : undefined;
  }
  if (event.kind !== 'action') return undefined;
  const { action } = event;
  return WINDOWS[action.actionId]?.opens(contextOf(pressed(action)), modalId(action.triggerId));
}

/** The place and the ticket of a modal. */
interface Pressed {
  team: string;
  user: string;
  channel: string;
  thread: string | undefined;
  triggerId: string;
  responseUrl: string;
  ticketId: string | undefined;
}

function pressed({ blockId, ...action }: ChatAction): Pressed {
  return { ...action, ticketId: ticketOfControls(blockId) };
}

function contextOf({ ticketId, channel, thread }: Pressed, act?: ModalContext['act']): string {
  const context: ModalContext = { ticket: ticketId ?? '', channel, thread, act };
  return JSON.stringify(context);
}

/** Fills the window of a card's button, or says why it cannot. */
export async function fillWindow(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
  const { action } = ctx.event;
  const window = WINDOWS[action.actionId];
  return window ? fill(bridge, ctx, pressed(action), window) : ctx.finish('no window of ours');
}

/** *Ticket actions* in a message's menu: the actions of *Manage*, *Why?* and *Retry* (B25, B32, B54, B55). */
export async function fillActions(bridge: Bridge, ctx: EventContext<EventOf<'shortcut'>>): Promise<Done> {
  const { message, ...shortcut } = ctx.event.shortcut;
  const { team, channel, root } = message;
  const { db } = bridge.database;
  const conversation =
    (await findByMessage(db, message)) ?? (await findByThread(db, { team, channel, root }));
  const by = { ...shortcut, channel, thread: root, ticketId: conversation?.ticket_id ?? undefined };
  const failed = (await deadLettersOf(bridge, message)).length > 0;
  return fill(bridge, ctx, by, MANAGE, (view) => withMessageActions(view, message, failed));
}

/** *Manage*: shows the permitted actions (B25). */
async function manageFor(bridge: Bridge, { by, ticket, relation }: SeenTicket): Promise<ModalView> {
  const ended = hasEnded(ticket.status.statusGroup.label);
  const { code, assigneeId } = ticket;
  const heading = { code, url: ticketUrl(bridge, code), title: ticket.title ?? '' };
  if (!may('edit', relation)) {
    const target = await mergeTargetOf(bridge, ticket);
    const mergedInto = target.id === ticket.id ? undefined : ticketLink(bridge, target.code);
    return requesterModal(heading, { ended, mergedInto }, contextOf(by, ended ? 'reopen' : 'close'));
  }
  const assignees = await chatUsersOf(bridge, assigneeId === null ? [] : [assigneeId]);
  const queues = await bridge.service.listQueues({ query: { workspaceId: workspaceOfTicket(ticket) } });
  return manageModal(
    {
      ...heading,
      description: markdownToField(ticket.description ?? ''),
      statuses: await bridge.statuses.of(ticket),
      statusId: ticket.statusId,
      priorities: priority.options,
      priority: ticket.priority,
      assignee: assigneeId === null ? undefined : assignees.get(assigneeId),
      assigned: assigneeId !== null,
      queues: queues.items.filter(({ deletedAt }) => !deletedAt).map(({ id, name }) => ({ id, label: name })),
      queueId: ticket.queueId,
      due: ticket.dueAt === null ? undefined : new Date(ticket.dueAt),
      snooze: ticket.snoozeUntil === null ? undefined : new Date(ticket.snoozeUntil),
      tags: await tagsFor(bridge, ticket),
      tagIds: ticket.tags.map(({ id }) => id),
    },
    contextOf(by),
  );
}

const TAGS_AT_MOST = 100;

/** Returns the tags that a ticket may have; none if they are more than a menu holds, or the service has none. */
async function tagsFor(bridge: Bridge, ticket: Ticket): Promise<{ id: string; label: string }[]> {
  try {
    const query = { workspaceId: workspaceOfTicket(ticket), limit: TAGS_AT_MOST };
    const { items, totalCount } = await bridge.service.listTags({ query });
    return totalCount > items.length ? [] : items.map(({ id, name }) => ({ id, label: name }));
  } catch (error) {
    if (error instanceof AnsweredError && error.missing) return [];
    throw error;
  }
}

async function fill(
  bridge: Bridge,
  ctx: EventContext<ChatEvent>,
  by: Pressed,
  { title, act, fills }: Window,
  around: (view: ModalView) => ModalView = (view) => view,
): Promise<Done> {
  let view: ModalView | undefined;
  try {
    const ticket = by.ticketId === undefined ? undefined : await readTicket(bridge, by.ticketId);
    if (ticket) {
      const person = await personOf(bridge, by.team, by.user);
      const relation = await permissionsFor(bridge, ticket, person);
      view =
        relation.sees && (act === undefined || may(act, relation))
          ? await fills?.(bridge, { by, ticket, person, relation })
          : sayingModal(title, refusalText(ticket, relation));
    } else view = sayingModal(title, by.ticketId === undefined ? NO_TICKET : TICKET_GONE);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    bridge.log.warn({ err: error, event: 'modal.not_filled' }, 'the service did not say what a modal shows');
    view = sayingModal(title, SERVICE_AWAY);
  }
  if (view) await fillModal(bridge, ctx, by.triggerId, around(view));
  return ctx.finish(`window: ${title}`);
}

/** Answers a submitted modal with what is wrong in it; undefined if nothing is: it is stored and handled later. */
export function refuseModal(bridge: Bridge, event: ChatEvent | undefined): AnswerAtOnce | undefined {
  if (event?.kind !== 'submission' || WORK[event.submission.callbackId] === undefined) return undefined;
  const { initial, values } = event.submission;
  const errors = windowErrors(initial, values, bridge.clock.now());
  return Object.keys(errors).length === 0 ? undefined : { says: { response_action: 'errors', errors } };
}

/**
 * Handles a submitted modal: it closes at once, because its input is stored; the effect is visible on the card and in
 * the thread, and errors are reported where the modal was opened (B25).
 */
export async function submitModal(bridge: Bridge, ctx: EventContext<EventOf<'submission'>>): Promise<Done> {
  const { submission } = ctx.event;
  const context = readStored(ModalContext, submission.metadata);
  const work = WORK[submission.callbackId];
  if (!context || !work) return ctx.finish('not a modal of ours');
  const { channel, thread } = context;
  const { team, user } = submission;
  return answerInTime(
    bridge,
    ctx,
    sendEphemeral(bridge, { team, channel, user, thread }),
    { changes: true, outcome: `submitted ${submission.callbackId}`, seen: true },
    async () => {
      const ticket = await readTicket(bridge, context.ticket);
      if (!ticket) return { text: TICKET_GONE, refused: true };
      const person = await personOf(bridge, team, user);
      return work(bridge, { ctx, ticket, person, context, submission });
    },
  );
}

interface Submitted {
  ctx: EventContext<unknown>;
  ticket: Ticket;
  person: Person;
  context: ModalContext;
  submission: ChatSubmission;
}

const WORK: Record<string, (bridge: Bridge, submitted: Submitted) => Promise<ActionAnswer>> = {
  [MODALS.manage]: saveManaged,
  [MODALS.own]: (bridge, { ticket, person, context: { act = 'close' } }) =>
    closeOrReopen(bridge, ticket, person, act),
  [MODALS.details]: addDetails,
  [MODALS.reply]: async (bridge, submitted) =>
    (await refusalFor(bridge, submitted.ticket, submitted.person, 'reply')) ??
    write(bridge, submitted, 'Your reply is sent.'),
};

async function saveManaged(bridge: Bridge, { ticket, person, submission }: Submitted): Promise<ActionAnswer> {
  const changes = changesOf(submission.initial, submission.values);
  const permissions = await permissionsFor(bridge, ticket, person);
  if (!permissions.sees || !actsOf(changes).every((act) => may(act, permissions)))
    return { text: refusalText(ticket, permissions), refused: true };
  // A chat user was chosen; the service has its own.
  if (changes.assigneeId) {
    const assignee = await personOf(bridge, person.team_id, changes.assigneeId);
    if (assignee.user_id === null || assignee.is_bot)
      return { text: `Tickets cannot be assigned to ${escapeMrkdwn(assignee.name)}.`, refused: true };
    changes.assigneeId = assignee.user_id;
  }
  if (typeof changes.description === 'string')
    changes.description = editedMarkdown(ticket.description ?? '', changes.description);
  const status = changes.statusId
    ? (await bridge.statuses.of(ticket)).find(({ id }) => id === changes.statusId)
    : ticket.status;
  if (changes.snoozeUntil && (ticket.archivedAt !== null || hasEnded(status?.statusGroup.label ?? '')))
    return {
      text: `${escapeMrkdwn(ticket.code)} was not saved: a ticket that is done, closed or archived cannot be snoozed.`,
      refused: true,
    };
  const { addTags, removeTags, ...fields } = changes;
  if (Object.keys(changes).length > 0)
    await updateTicket(bridge, person.user_id, ticket.id, {
      ...(fields as Parameters<typeof updateTicket>[3]),
      ...(addTags && { addTags: addTags.map((id) => ({ id })) }),
      ...(removeTags && { removeTags: removeTags.map((id) => ({ id })) }),
    });
  const away = await awayNotes(bridge, [changes.assigneeId ?? null], person);
  return { text: [`${escapeMrkdwn(ticket.code)} is saved.`, ...away].join('\n') };
}

/** A requester's details are a reply in their thread (B22, B25). */
async function addDetails(bridge: Bridge, submitted: Submitted): Promise<ActionAnswer> {
  const { ticket, person } = submitted;
  const permissions = await permissionsFor(bridge, ticket, person);
  if (!permissions.sees) return { text: refusalText(ticket, permissions), refused: true };
  const written = await write(bridge, submitted, 'Your details are added.');
  if (written.refused || !permissions.isRequester) return written;
  // The details of a merged ticket are stored on the one that continues in its place.
  const target = await mergeTargetOf(bridge, ticket);
  if (hasEnded(target.status.statusGroup.label)) await setGroup(bridge, target, 'Open', person.user_id);
  return written;
}

async function write(
  bridge: Bridge,
  { ctx, ticket, person, submission }: Submitted,
  done: string,
): Promise<ActionAnswer> {
  const typed = submission.values[FIELDS.reply];
  const text = typeof typed === 'string' ? typed : '';
  const markdown = fieldToMarkdown(text);
  if (isBlank(markdown)) return { text: 'The reply was empty. Nothing was sent.', refused: true };
  const key = `modal ${submission.viewId}`;
  await writeMessage(bridge, ctx, ticket.id, person, { kind: 'answer', key, markdown });
  return { text: done };
}
