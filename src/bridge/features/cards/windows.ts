import type { ModalView } from '@slack/types';

import { priority } from '../../../contract/index.ts';
import { ServiceError } from '../../../client/index.ts';
import {
  SHORTCUTS,
  detailsModal,
  loadingModal,
  manageModal,
  ownModal,
  replyModal,
  sayingModal,
  SERVICE_AWAY,
  withMessageActions,
  ModalContext,
  FIELDS,
  MODALS,
  readContext,
} from '../../blocks/modals.ts';
import { CARD_ACTIONS, ticketOfControls } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import { respond, type Answer } from '../../slack/respond.ts';
import { may, hasEnded } from '../../tickets/rules.ts';
import type { ChatEvent, EventOf } from '../../slack/chat-event.ts';
import type { ChatAction, ChatSubmission } from '../../slack/interaction.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import { findByMessage, findByThread } from '../../threads/conversations.ts';
import { modalId } from '../../slack/ids.ts';
import { chatUsersOf, personOf, type Person } from '../../people/people.ts';
import { claimTicket } from './draw-card.ts';
import { readTicket, type Ticket, TICKET_GONE, permissionsFor } from '../../tickets/find-ticket.ts';
import { deadLettersOf } from '../../inbox/dead-letters.ts';
import {
  refusalText,
  closeOrReopen,
  refusalFor,
  setGroup,
  updateTicket,
} from '../../tickets/update-ticket.ts';
import { showIn, answerInTime, sendEphemeral } from '../../inbox/answer-in-time.ts';
import { ticketUrl } from '../../tickets/ticket-facts.ts';
import { workspaceOf } from '../../tickets/catalogue.ts';
import { actsOf, type Changes, changesOf } from './rules.ts';
import { chatToMarkdown } from '../../text/from-chat.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { writeMessage } from '../../threads/append-message.ts';

const MANAGE = 'Manage ticket';
const REPLY = 'Reply to requester';
const DETAILS = 'Add details';
const NO_TICKET = 'This message is not on a ticket. *Create ticket* in its menu opens one.';

/** The modal that an event opens at once; its job fills it later, or says why it cannot (B25, B46). */
export async function cardWindow(event: ChatEvent): Promise<ModalView | undefined> {
  if (event.kind === 'shortcut') {
    const { callbackId, triggerId } = event.shortcut;
    return callbackId === SHORTCUTS.ticketActions ? loadingModal(MANAGE, modalId(triggerId)) : undefined;
  }
  if (event.kind !== 'action') return undefined;
  const { actionId, triggerId } = event.action;
  const id = modalId(triggerId);
  if (actionId === CARD_ACTIONS.manage) return loadingModal(MANAGE, id);
  if (actionId === CARD_ACTIONS.reply) return replyModal(contextOf(pressed(event.action)), id);
  if (actionId === CARD_ACTIONS.addDetails) return detailsModal(contextOf(pressed(event.action)), id);
  return undefined;
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

/** *Manage*: shows the permitted actions, or why there are none (B25). */
export async function fillManage(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<void> {
  const by = pressed(ctx.event.action);
  await fill(bridge, ctx, by, 'B25 manage', MANAGE, (ticket) => manageFor(bridge, by, ticket));
}

/**
 * *Reply to requester*: it is already open; shows if the user may not reply, or another one already does (B15, B57).
 */
export async function fillReply(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<void> {
  const by = pressed(ctx.event.action);
  await fill(bridge, ctx, by, 'B15 reply', REPLY, async (ticket) => {
    const person = await personOf(bridge, by.team, by.user);
    const permissions = await permissionsFor(bridge, ticket, person);
    if (!permissions.sees || !may('reply', permissions))
      return sayingModal(REPLY, refusalText(ticket, permissions));
    const other = await claimTicket(bridge, ticket, person);
    return other === undefined ? undefined : replyModal(contextOf(by), modalId(by.triggerId), other);
  });
}

/** *Add details*: it is already open; shows if the user may not see the ticket (B25). */
export async function fillDetails(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<void> {
  const by = pressed(ctx.event.action);
  await fill(bridge, ctx, by, 'B25 details', DETAILS, async (ticket) => {
    const permissions = await permissionsFor(bridge, ticket, await personOf(bridge, by.team, by.user));
    return permissions.sees ? undefined : sayingModal(DETAILS, refusalText(ticket, permissions));
  });
}

/** *Ticket actions* in a message's menu: the actions of *Manage*, *Why?* and *Retry* (B25, B32, B54, B55). */
export async function fillActions(bridge: Bridge, ctx: EventContext<EventOf<'shortcut'>>): Promise<void> {
  const { message, ...shortcut } = ctx.event.shortcut;
  const { team, channel, root } = message;
  const { db } = bridge.database;
  const conversation =
    (await findByMessage(db, message)) ?? (await findByThread(db, { team, channel, root }));
  const by = { ...shortcut, channel, thread: root, ticketId: conversation?.ticket_id ?? undefined };
  const failed = (await deadLettersOf(bridge, message)).length > 0;
  await fill(
    bridge,
    ctx,
    by,
    'B32 ticket actions',
    MANAGE,
    (ticket) => manageFor(bridge, by, ticket),
    (view) => withMessageActions(view, message, failed),
  );
}

async function manageFor(bridge: Bridge, action: Pressed, ticket: Ticket): Promise<ModalView> {
  const permissions = await permissionsFor(bridge, ticket, await personOf(bridge, action.team, action.user));
  const ended = hasEnded(ticket.status.statusGroup.label);
  const heading = {
    code: ticket.code,
    url: ticketUrl(bridge, ticket.code),
    title: ticket.title ?? '',
  };
  if (!permissions.sees || !may('close', permissions))
    return sayingModal(MANAGE, refusalText(ticket, permissions));
  if (!may('edit', permissions))
    return ownModal(heading, ended, contextOf(action, ended ? 'reopen' : 'close'));
  const { assigneeId } = ticket;
  const assignees = await chatUsersOf(bridge, assigneeId === null ? [] : [assigneeId]);
  const queues = await bridge.service.listQueues({ query: { workspaceId: workspaceOf(ticket) } });
  return manageModal(
    {
      ...heading,
      description: ticket.description ?? '',
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
    },
    contextOf(action),
  );
}

async function fill(
  bridge: Bridge,
  ctx: EventContext<unknown>,
  by: Pressed,
  outcome: string,
  title: string,
  viewFor: (ticket: Ticket) => Promise<ModalView | undefined>,
  around: (view: ModalView) => ModalView = (view) => view,
): Promise<void> {
  let view: ModalView | undefined;
  try {
    const ticket = by.ticketId === undefined ? undefined : await readTicket(bridge, by.ticketId);
    if (ticket) view = await viewFor(ticket);
    else view = sayingModal(title, by.ticketId === undefined ? NO_TICKET : TICKET_GONE);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    bridge.log.warn({ err: error, event: 'modal.not_filled' }, 'the service did not say what a modal shows');
    view = sayingModal(title, SERVICE_AWAY);
  }
  if (view && !(await showIn(bridge, ctx, by.triggerId, around(view))))
    await respond(bridge, by.responseUrl, {
      text: 'The window was closed before it could be filled. Press the button again if you still need it.',
    });
  await ctx.finish(outcome);
}

type Outcome = Answer & { refused?: boolean };

/**
 * Handles a submitted modal: it closes at once, because its input is stored; the effect is visible on the card and in
 * the thread, and errors are reported where the modal was opened (B25).
 */
export async function submitModal(bridge: Bridge, ctx: EventContext<EventOf<'submission'>>): Promise<void> {
  const { submission } = ctx.event;
  const context = readContext(submission.metadata);
  const work = WORK[submission.callbackId];
  if (!context || !work) return ctx.finish('not a modal of ours');
  const { channel, thread } = context;
  const { team, user } = submission;
  await answerInTime(
    bridge,
    ctx,
    sendEphemeral(bridge, { team, channel, user, thread }),
    { changes: true, outcome: `B25 ${submission.callbackId}`, seen: true },
    async () => {
      const ticket = await readTicket(bridge, context.ticket);
      if (!ticket) return { text: TICKET_GONE, refused: true };
      const person = await personOf(bridge, team, user);
      return work(bridge, ctx, { ticket, person, context, submission });
    },
  );
}

interface Submitted {
  ticket: Ticket;
  person: Person;
  context: ModalContext;
  submission: ChatSubmission;
}

const WORK: Record<
  string,
  (bridge: Bridge, ctx: EventContext<unknown>, submitted: Submitted) => Promise<Outcome>
> = {
  [MODALS.manage]: saveManaged,
  [MODALS.own]: (bridge, _turn, { ticket, person, context: { act = 'close' } }) =>
    closeOrReopen(bridge, ticket, person, act),
  [MODALS.details]: addDetails,
  [MODALS.reply]: sendReply,
};

async function saveManaged(
  bridge: Bridge,
  _turn: EventContext<unknown>,
  { ticket, person, submission }: Submitted,
): Promise<Outcome> {
  const changes = changesOf(submission.initial, submission.values);
  const permissions = await permissionsFor(bridge, ticket, person);
  if (!permissions.sees || !actsOf(changes).every((act) => may(act, permissions)))
    return { text: refusalText(ticket, permissions), refused: true };
  const data = await dataOf(bridge, person, changes);
  if ('refused' in data) return data;
  if (Object.keys(data).length > 0) await updateTicket(bridge, person.user_id, ticket.id, data);
  return { text: `${escapeChat(ticket.code)} is saved.` };
}

type Data = Parameters<Bridge['service']['updateTicket']>[0]['body']['data'];

/** Returns the changes for the service, with the user instead of the chat user. */
async function dataOf(
  bridge: Bridge,
  { team_id: team }: Person,
  { assigneeId: chosen, ...changes }: Changes,
): Promise<Data | (Outcome & { refused: true })> {
  const data = changes as Data;
  if (chosen === undefined) return data;
  if (chosen === null) return { ...data, assigneeId: null };
  const assignee = await personOf(bridge, team, chosen);
  if (assignee.user_id === null || assignee.is_bot)
    return { text: `Tickets cannot be assigned to ${escapeChat(assignee.name)}.`, refused: true };
  return { ...data, assigneeId: assignee.user_id };
}

async function sendReply(bridge: Bridge, ctx: EventContext<unknown>, submitted: Submitted): Promise<Outcome> {
  const refusal = await refusalFor(bridge, submitted.ticket, submitted.person, 'reply');
  return refusal ?? write(bridge, ctx, submitted, 'Your reply is sent.');
}

/** A requester's details are a reply in their thread (B22, B25). */
async function addDetails(
  bridge: Bridge,
  ctx: EventContext<unknown>,
  submitted: Submitted,
): Promise<Outcome> {
  const { ticket, person } = submitted;
  const permissions = await permissionsFor(bridge, ticket, person);
  if (!permissions.sees) return { text: refusalText(ticket, permissions), refused: true };
  const written = await write(bridge, ctx, submitted, 'Your details are added.');
  if (!written.refused && permissions.isRequester && hasEnded(ticket.status.statusGroup.label))
    await setGroup(bridge, ticket, 'Open', person.user_id);
  return written;
}

async function write(
  bridge: Bridge,
  ctx: EventContext<unknown>,
  { ticket, person, submission }: Submitted,
  done: string,
): Promise<Outcome> {
  const typed = submission.values[FIELDS.reply];
  const text = typeof typed === 'string' ? typed : '';
  const nobody = { user: () => undefined, channel: () => undefined };
  const markdown = chatToMarkdown({ text: escapeChat(text), blocks: [] }, nobody);
  if (markdown.trim() === '') return { text: 'The reply was empty. Nothing was sent.', refused: true };
  const key = `modal ${submission.viewId}`;
  await writeMessage(bridge, ctx, ticket.id, person, { kind: 'answer', key, markdown });
  return { text: done };
}
