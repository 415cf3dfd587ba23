import type { ModalView } from '@slack/types';

import { priority } from '../../../contract/index.ts';
import { ServiceError } from '../../../client/index.ts';
import { SHORTCUTS } from '../../blocks/modals.ts';
import { CARD_ACTIONS, ticketOfControls } from '../../blocks/card.ts';
import {
  detailsModal,
  loadingModal,
  manageModal,
  ownModal,
  replyModal,
  sayingModal,
  SERVICE_AWAY,
  withMessageActions,
  ModalContext,
} from '../../blocks/modals.ts';
import type { Bridge } from '../../bridge.ts';
import { respond } from '../../slack/respond.ts';
import { may } from '../../tickets/may-rules.ts';
import { hasEnded } from '../../tickets/status-rules.ts';
import type { ChatEvent, EventOf } from '../../slack/chat-event.ts';
import type { ChatAction } from '../../slack/interaction.ts';
import type { Turn } from '../../inbox/turn.ts';
import { findByMessage, findByThread } from '../../threads/conversations.ts';
import { modalId } from '../../slack/ids.ts';
import { chatUsersOf, personOf } from '../../people/people.ts';
import { claimTicket } from './claim-ticket.ts';
import { readTicket, type Ticket, TICKET_GONE } from '../../tickets/find-ticket.ts';
import { deadLettersOf } from '../../inbox/dead-letters.ts';
import { refusalText } from '../../tickets/act.ts';
import { showIn } from '../../threads/show-in.ts';
import { standingOf } from '../../tickets/standing.ts';
import { ticketUrl } from '../../tickets/ticket-facts.ts';
import { workspaceOf } from '../../tickets/workspace-of.ts';

const MANAGE = 'Manage ticket';
const REPLY = 'Reply to requester';
const DETAILS = 'Add details';
const NO_TICKET = 'This message is on no ticket. *Create ticket* in its menu opens one.';

/** What an event opens, as it is shown at first; it is filled, or says why not, from the lane (B25, B46). */
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
export async function fillManage(bridge: Bridge, turn: Turn<EventOf<'action'>>): Promise<void> {
  const by = pressed(turn.event.action);
  await fill(bridge, turn, by, 'B25 manage', MANAGE, (ticket) => manageFor(bridge, by, ticket));
}

/**
 * *Reply to requester*: it is already open; shows if the user may not reply, or another one already does (B15, B57).
 */
export async function fillReply(bridge: Bridge, turn: Turn<EventOf<'action'>>): Promise<void> {
  const by = pressed(turn.event.action);
  await fill(bridge, turn, by, 'B15 reply', REPLY, async (ticket) => {
    const person = await personOf(bridge, by.team, by.user);
    const standing = await standingOf(bridge, ticket, person);
    if (!standing.sees || !may('reply', standing)) return sayingModal(REPLY, refusalText(ticket, standing));
    const other = await claimTicket(bridge, ticket, person);
    return other === undefined ? undefined : replyModal(contextOf(by), modalId(by.triggerId), other);
  });
}

/** *Add details*: it is already open; shows if the user may not see the ticket (B25). */
export async function fillDetails(bridge: Bridge, turn: Turn<EventOf<'action'>>): Promise<void> {
  const by = pressed(turn.event.action);
  await fill(bridge, turn, by, 'B25 details', DETAILS, async (ticket) => {
    const standing = await standingOf(bridge, ticket, await personOf(bridge, by.team, by.user));
    return standing.sees ? undefined : sayingModal(DETAILS, refusalText(ticket, standing));
  });
}

/** *Ticket actions* in a message's menu: the actions of *Manage*, *Why?* and *Retry* (B25, B32, B54, B55). */
export async function fillActions(bridge: Bridge, turn: Turn<EventOf<'shortcut'>>): Promise<void> {
  const { message, ...shortcut } = turn.event.shortcut;
  const { team, channel, root } = message;
  const { db } = bridge.database;
  const conversation =
    (await findByMessage(db, message)) ?? (await findByThread(db, { team, channel, root }));
  const by = { ...shortcut, channel, thread: root, ticketId: conversation?.ticket_id ?? undefined };
  const failed = (await deadLettersOf(bridge, message)).length > 0;
  await fill(
    bridge,
    turn,
    by,
    'B32 ticket actions',
    MANAGE,
    (ticket) => manageFor(bridge, by, ticket),
    (view) => withMessageActions(view, message, failed),
  );
}

async function manageFor(bridge: Bridge, action: Pressed, ticket: Ticket): Promise<ModalView> {
  const standing = await standingOf(bridge, ticket, await personOf(bridge, action.team, action.user));
  const ended = hasEnded(ticket.status.statusGroup.label);
  const heading = {
    code: ticket.code,
    url: ticketUrl(bridge, ticket.code),
    title: ticket.title ?? '',
  };
  if (!standing.sees || !may('close', standing)) return sayingModal(MANAGE, refusalText(ticket, standing));
  if (!may('edit', standing)) return ownModal(heading, ended, contextOf(action, ended ? 'reopen' : 'close'));
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
  turn: Turn<unknown>,
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
  if (view && !(await showIn(bridge, turn, by.triggerId, around(view))))
    await respond(bridge, by.responseUrl, {
      text: 'The window was closed before it could be filled. Press the button again if you still need it.',
    });
  await turn.finish(outcome);
}
