import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import type { ModalView } from '@slack/types';

import { AnsweredError } from '../../../client/index.ts';
import { ASK_ACTIONS, declineModal, feedbackModal, scoreOf, ASK_FIELDS, ASK_MODALS } from './blocks.ts';
import type { Bridge } from '../../bridge.ts';
import { checkWritten } from '../../inbox/store.ts';
import { respond } from '../../slack/respond.ts';
import { mayStillChange } from './rules.ts';
import { hasAskedFor } from './who-asked.ts';
import type { ChatEvent, EventOf } from '../../slack/chat-event.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import { questionsFor, findAsk, setAsk, planAsk } from './asks.ts';
import { modalId } from '../../slack/ids.ts';
import { type Person, personOf } from '../../people/people.ts';
import { addNote } from '../../tickets/create-once.ts';
import { answerInTime, sendEphemeral } from '../../inbox/answer-in-time.ts';
import { readTicket, type Ticket, TICKET_GONE } from '../../tickets/find-ticket.ts';
import { userNames, ticketLink } from '../../tickets/ticket-facts.ts';
import { type ActionAnswer, updateTicket } from '../../tickets/update-ticket.ts';
import { ModalContext, readStored } from '../../blocks/modals.ts';
import type { Attempt, Done } from '../../work.ts';

/** Handles a button of a question in direct messages: its effect is visible in place. */
export async function pressAsk(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
  const { actionId, responseUrl, team, user, value } = ctx.event.action;
  const outcome = `button ${actionId}`;
  const score = scoreOf(actionId);
  // Its modal was opened within the request; its input comes back as a submission.
  if (score === undefined && actionId !== ASK_ACTIONS.approve) return ctx.finish(outcome);
  return answerInTime(
    bridge,
    ctx,
    (answer) => respond(bridge, responseUrl, answer),
    { changes: true, outcome, seen: true },
    async () => {
      const person = await personOf(bridge, team, user);
      return score === undefined
        ? recordDecision(bridge, value, person, 'approved')
        : rate(bridge, ctx, value, person, { score });
    },
  );
}

/** Returns the modal of a question's button, to be opened at once; undefined for what has none. */
export async function askWindow(bridge: Bridge, event: ChatEvent): Promise<ModalView | undefined> {
  if (event.kind !== 'action') return undefined;
  const { actionId, value: ticket, channel, thread, triggerId, team, user } = event.action;
  const metadata = JSON.stringify({ ticket, channel, thread });
  if (actionId === ASK_ACTIONS.decline) return declineModal(metadata, modalId(triggerId));
  if (actionId !== ASK_ACTIONS.words) return undefined;
  const { user_id } = await personOf(bridge, team, user);
  const key = { kind: 'survey' as const, ticket_id: ticket, user_id: user_id ?? '' };
  const ask = await findAsk(bridge.database.db, key);
  return feedbackModal(metadata, modalId(triggerId), ask?.feedback ?? null);
}

/**
 * Approves or declines for a user (B39). The first decision is final; a later one is answered with who decided.
 * Idempotent for the same user.
 */
async function recordDecision(
  bridge: Bridge,
  ticketId: string,
  { user_id: userId }: Person,
  decision: 'approved' | 'declined',
  reason: string | null = null,
): Promise<ActionAnswer> {
  const ticket = await readTicket(bridge, ticketId);
  if (!ticket) return { text: TICKET_GONE, refused: true };
  const reference = ticketLink(bridge, ticket.code);
  if (userId === null || !ticket.approvers.some(({ id }) => id === userId))
    return { text: `You are not asked to approve ${reference}.`, refused: true };
  const decided = await decidedBefore(bridge, ticket, userId, decision);
  if (decided) return decided;
  if (await hasAskedFor(bridge, ticket, userId))
    return {
      text: `You asked for ${reference} yourself, so you cannot approve or decline it. The team can name another approver.`,
      refused: true,
    };
  const at = bridge.clock.now().toISOString();
  const data = decision === 'approved' ? { approvedAt: at } : { declinedAt: at };
  try {
    await updateTicket(bridge, userId, ticket.id, data, { approverId: userId, reason });
  } catch (error) {
    if (!(error instanceof AnsweredError && error.status === 409)) throw error;
    const now = (await readTicket(bridge, ticketId)) ?? ticket;
    const other = { text: `${reference} was decided already.`, refused: true };
    return (await decidedBefore(bridge, now, userId, decision)) ?? other;
  }
  await redraw(bridge, ticket.id);
  return { text: `${reference} is ${decision}.` };
}

/** Returns the answer if there already is a decision; undefined if there is none. */
async function decidedBefore(
  bridge: Bridge,
  ticket: Ticket,
  userId: string,
  decision: 'approved' | 'declined',
): Promise<ActionAnswer | undefined> {
  const { approval } = ticket.metadata;
  const was = ticket.approvedAt ? 'approved' : ticket.declinedAt ? 'declined' : undefined;
  if (was === undefined) return undefined;
  await redraw(bridge, ticket.id);
  const reference = ticketLink(bridge, ticket.code);
  if (approval?.userId === userId && was === decision) return { text: `${reference} is ${was}.` };
  const name = (await userNames(bridge, [approval?.userId ?? null]))(approval?.userId ?? null);
  const who = approval?.userId === userId ? 'you' : name && escapeMrkdwn(name);
  return { text: `${reference} was ${was} already${who ? ` by ${who}` : ''}.`, refused: true };
}

/** Redraws a ticket's questions for everyone who was asked. */
async function redraw(bridge: Bridge, ticketId: string): Promise<void> {
  await bridge.engine.transaction(async (tx) => {
    for (const ask of await questionsFor(tx, ticketId))
      if (ask.kind === 'approval') await planAsk(tx, bridge, ask);
  });
}

/**
 * Rates how a ticket was handled, for its requester (B40); missing parts stay. A service without ratings gets an
 * internal note.
 */
async function rate(
  bridge: Bridge,
  attempt: Attempt,
  ticketId: string,
  { user_id: userId }: Person,
  given: { score?: number; feedback?: string | null },
): Promise<ActionAnswer> {
  const { db } = bridge.database;
  const key = { kind: 'survey' as const, ticket_id: ticketId, user_id: userId ?? '' };
  const ask = await findAsk(db, key);
  if (!ask || userId === null) return { text: 'Only the requester can rate this ticket.', refused: true };
  const now = bridge.clock.now();
  if (!mayStillChange(ask.answered_at, now)) {
    await bridge.engine.transaction((tx) => planAsk(tx, bridge, ask));
    return { text: 'Ratings can be changed for seven days. Yours is final now.', refused: true };
  }
  const score = given.score ?? ask.score;
  const feedback = given.feedback === undefined ? ask.feedback : given.feedback;
  if (score === null) return { text: 'Choose a rating from 1 to 5 first.', refused: true };
  await store(bridge, attempt, ticketId, { score, feedback, userId });
  await bridge.engine.transaction(async (tx) => {
    await setAsk(tx, key, { score, feedback, answered_at: ask.answered_at ?? now });
    await planAsk(tx, bridge, ask);
  });
  return { text: 'Thanks for your rating.' };
}

async function store(
  bridge: Bridge,
  attempt: Attempt,
  ticketId: string,
  rating: { score: number; feedback: string | null; userId: string },
): Promise<void> {
  const { score, feedback } = rating;
  try {
    await bridge.service.rateTicket({ params: { id: ticketId }, body: rating });
    await checkWritten(bridge, ticketId);
  } catch (error) {
    if (!(error instanceof AnsweredError && error.missing)) throw error;
    const words = `The requester rated this ${score} out of 5${feedback ? `:\n\n${feedback}` : '.'}`;
    await addNote(bridge, attempt, ticketId, `rated ${attempt.receivedAt.toISOString()}`, words);
  }
}

/** Handles the reason of a decline, or the comment on a rating; failures are reported in place. */
export async function submitAsk(bridge: Bridge, ctx: EventContext<EventOf<'submission'>>): Promise<Done> {
  const { submission } = ctx.event;
  const { team, user, callbackId, values } = submission;
  const context = readStored(ModalContext, submission.metadata);
  if (!context) return ctx.finish('not a modal of ours');
  const { channel, thread, ticket } = context;
  const typed = (field: string) => {
    const value = values[field];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  return answerInTime(
    bridge,
    ctx,
    sendEphemeral(bridge, { team, channel, user, thread }),
    { changes: true, outcome: `submitted ${callbackId}`, seen: true },
    async () => {
      const person = await personOf(bridge, team, user);
      return callbackId === ASK_MODALS.decline
        ? recordDecision(bridge, ticket, person, 'declined', typed(ASK_FIELDS.reason))
        : rate(bridge, ctx, ticket, person, { feedback: typed(ASK_FIELDS.words) });
    },
  );
}
