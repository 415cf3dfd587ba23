import type { ModalView } from '@slack/types';

import { priority } from '../../contract/index.ts';
import { ServiceError } from '../../client/index.ts';
import { CARD_ACTIONS, ticketOfControls } from '../blocks/card.ts';
import { loadingModal, manageModal, ownModal, replyModal, sayingModal } from '../blocks/modals.ts';
import type { Bridge } from '../bridge.ts';
import { respond } from '../chat/respond.ts';
import { may } from '../decide/may.ts';
import { hasEnded } from '../decide/status.ts';
import type { ChatEvent, EventOf } from '../intake/chat-event.ts';
import type { ChatAction } from '../intake/interaction.ts';
import type { Turn } from '../intake/turn.ts';
import { modalId } from '../links/ids.ts';
import { chatUsersOf, personOf } from '../links/people.ts';
import { claimTicket } from './claim-ticket.ts';
import { readTicket, type Ticket } from './find-ticket.ts';
import { ModalContext } from './modal-context.ts';
import { askModal } from './press-ask.ts';
import { formWanted, openFormWindow } from './open-form.ts';
import { refusalText } from './press-card.ts';
import { showIn } from './show-in.ts';
import { standingOf } from './standing.ts';
import { ticketUrl } from './ticket-facts.ts';

const MANAGE = 'Manage ticket';
const REPLY = 'Reply to requester';

/**
 * Opens the modal that an event asks for, empty, within the request that brought it: its trigger lives for three
 * seconds, and the service may be slow (B25, B46). It is filled, or says why not, from the lane. Never throws.
 */
export async function openModal(bridge: Bridge, event: ChatEvent): Promise<void> {
  const wanted = formWanted(event);
  if (!wanted && event.kind !== 'action') return;
  try {
    if (wanted) await openFormWindow(bridge, wanted);
    if (wanted || event.kind !== 'action') return;
    const { actionId, triggerId } = event.action;
    const id = modalId(triggerId);
    if (actionId === CARD_ACTIONS.manage) await bridge.modals.open(triggerId, loadingModal(MANAGE, id));
    if (actionId === CARD_ACTIONS.reply)
      await bridge.modals.open(triggerId, replyModal(contextOf(event.action), id));
    const asked = await askModal(bridge, event.action);
    if (asked) await bridge.modals.open(triggerId, asked);
  } catch (error) {
    bridge.log.warn({ err: error, event: 'modal.not_opened' }, 'a modal could not be opened');
  }
}

function contextOf({ blockId, channel, thread }: ChatAction, act?: ModalContext['act']): string {
  const context: ModalContext = { ticket: ticketOfControls(blockId) ?? '', channel, thread, act };
  return JSON.stringify(context);
}

/** *Manage*: what the presser may do, or a polite no (B25). */
export async function fillManage(bridge: Bridge, turn: Turn<EventOf<'action'>>): Promise<void> {
  await fill(bridge, turn, 'B25 manage', MANAGE, (ticket) => manageFor(bridge, turn.event.action, ticket));
}

/** *Reply to requester*: it is open already; whoever may not, or who comes second, is told before they write (B15, B57). */
export async function fillReply(bridge: Bridge, turn: Turn<EventOf<'action'>>): Promise<void> {
  await fill(bridge, turn, 'B15 reply', REPLY, async (ticket) => {
    const { team, user } = turn.event.action;
    const person = await personOf(bridge, team, user);
    const standing = await standingOf(bridge, ticket, person);
    if (!standing.sees || !may('reply', standing)) return sayingModal(REPLY, refusalText(ticket, standing));
    const other = await claimTicket(bridge, ticket, person);
    const { action } = turn.event;
    return other === undefined ? undefined : replyModal(contextOf(action), modalId(action.triggerId), other);
  });
}

async function manageFor(bridge: Bridge, action: ChatAction, ticket: Ticket): Promise<ModalView> {
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
  const workspaceId = ticket.queue?.workspaceId;
  const queues = await bridge.service.listQueues({ query: workspaceId ? { workspaceId } : {} });
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
  turn: Turn<EventOf<'action'>>,
  outcome: string,
  title: string,
  viewFor: (ticket: Ticket) => Promise<ModalView | undefined>,
): Promise<void> {
  const { action } = turn.event;
  let view: ModalView | undefined;
  try {
    const ticket = await readTicket(bridge, ticketOfControls(action.blockId) ?? '');
    view = ticket ? await viewFor(ticket) : sayingModal(title, 'This ticket is gone.');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    bridge.log.warn({ err: error, event: 'modal.not_filled' }, 'the service did not say what a modal shows');
    view = sayingModal(
      title,
      'The help desk’s service cannot be reached right now. Please try again in a minute.',
    );
  }
  if (view && !(await showIn(bridge, turn, action.triggerId, view)))
    await respond(bridge, action.responseUrl, {
      text: 'The window was closed before it could be filled. Press the button again if you still need it.',
    });
  await turn.finish(outcome);
}
