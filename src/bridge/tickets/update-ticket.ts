import { sql } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import { GiveUp } from '../../platform/engine/index.ts';
import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import { checkWritten } from '../inbox/store.ts';
import type { Bridge } from '../bridge.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { type Answer, AnsweredError } from '../../client/index.ts';
import type { RouteBody } from '../../contract/index.ts';
import { mergeTargetOf, type Ticket, permissionsFor, teamsOfAssignee } from './find-ticket.ts';
import { workspaceOfTicket } from './catalogue.ts';
import type { Answer as ChatAnswer } from '../slack/respond.ts';
import { ticketLink } from './ticket-facts.ts';
import { type Act, may, hasEnded } from './rules.ts';
import type { Person } from '../people/people.ts';

/** The fields whose changes are announced: each by direct message (B43), or in the thread (B30). */
const ANNOUNCED_FIELDS = [
  'assigneeId',
  'statusId',
  'priority',
  'queueId',
  'dueAt',
  'snoozeUntil',
  'title',
] as const;
type AnnouncedField = (typeof ANNOUNCED_FIELDS)[number];

/** Records who changes fields of a ticket; fields that are not announced are ignored. */
export async function recordActors(
  { clock }: Pick<Bridge, 'clock'>,
  db: Db<BridgeTables>,
  ticketId: string,
  values: Readonly<Record<string, unknown>>,
  { user, inChat }: { user: string | null; inChat: boolean },
): Promise<void> {
  const rows = ANNOUNCED_FIELDS.filter((field) => values[field] !== undefined).map((field) => ({
    ticket_id: ticketId,
    field,
    value: JSON.stringify(values[field]),
    in_chat: inChat,
    user_id: user,
    at: clock.now(),
  }));
  if (rows.length === 0) return;
  await db
    .insertInto('ticket_change')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['ticket_id', 'field', 'value', 'in_chat'])
        .doUpdateSet({ user_id: sql`excluded.user_id`, at: sql`excluded.at` }),
    )
    .execute();
}

/** An older action is unrelated to a change seen now. */
const RECENT_MS = 60 * 60_000;

/**
 * Returns who set a ticket's fields to their present values. The bridge knows best what was done in chat: the service
 * sees only its key.
 */
export async function actorsOf(
  { database, clock }: Pick<Bridge, 'database' | 'clock'>,
  ticketId: string,
  now: Readonly<Record<AnnouncedField, string | null>>,
): Promise<(field: AnnouncedField) => string | null> {
  const rows = await database.db
    .selectFrom('ticket_change')
    .select(['field', 'value', 'user_id'])
    .where('ticket_id', '=', ticketId)
    .where('at', '>', new Date(clock.now().getTime() - RECENT_MS))
    .orderBy('in_chat', 'desc')
    .execute();
  return (field) =>
    rows.find((row) => row.field === field && row.value === JSON.stringify(now[field]))?.user_id ?? null;
}

type Body = RouteBody<'updateTicket'>;

/**
 * Updates a ticket for a user. The user is recorded first, because the service sees only the bridge's key, and users
 * are not notified of their own changes (B43). Throws ServiceError.
 * @param user the service's user who does it; null for the bridge itself, or a chat user without one.
 */
export async function updateTicket(
  bridge: Bridge,
  user: string | null,
  ticketId: string,
  data: Body['data'],
  more: Omit<Body, 'data'> = {},
): Promise<Answer<'updateTicket'>> {
  await recordActors(bridge, bridge.database.db, ticketId, data, { user, inChat: true });
  const body = {
    data,
    ...more,
    ...(await teamsOfAssignee(bridge, data.assigneeId)),
    ...(user !== null && { actorId: user }),
  };
  const ticket = await bridge.service.updateTicket({ params: { id: ticketId }, body });
  await checkWritten(bridge, ticketId);
  return ticket;
}

/**
 * Merges a ticket into another one for a user, who is recorded first, as by `updateTicket`: it is closed by that. One
 * that is merged there already is only checked again, as the attempt that merged it may have ended before that. Throws
 * ServiceError.
 * @returns why the service refuses it; undefined if it is merged.
 */
export async function mergeTicket(
  bridge: Bridge,
  user: string | null,
  ticket: Ticket,
  other: Ticket,
): Promise<string | undefined> {
  if (ticket.mergedIntoId !== other.id) {
    const { id: statusId } = await statusOfGroup(bridge, ticket, 'Closed');
    await recordActors(bridge, bridge.database.db, ticket.id, { statusId }, { user, inChat: true });
    const body = { intoId: other.id, ...(user !== null && { userId: user }) };
    try {
      await bridge.service.mergeTicket({ params: { id: ticket.id }, body });
    } catch (error) {
      return whyRefused(error, 'this service does not merge tickets.');
    }
  }
  for (const { id } of [ticket, other]) await checkWritten(bridge, id);
  return undefined;
}

/**
 * Returns why the service refuses something for good, as a sentence; throws every other error again.
 * @param lacking the sentence for a service that has no such operation.
 */
export function whyRefused(error: unknown, lacking: string): string {
  if (!(error instanceof AnsweredError) || error.next !== 'give-up') throw error;
  if (error.missing) return lacking;
  const why = error.issues[0]?.message ?? error.detail ?? error.message;
  return why.endsWith('.') ? why : `${why}.`;
}

/** Sets a ticket to the first status of a group that every ticket may have, for a user or, with null, automatically. */
export async function setGroup(
  bridge: Bridge,
  ticket: Ticket,
  group: 'Open' | 'Closed',
  by: string | null,
): Promise<void> {
  const status = await statusOfGroup(bridge, ticket, group);
  await updateTicket(bridge, by, ticket.id, { statusId: status.id });
}

async function statusOfGroup(bridge: Bridge, ticket: Ticket, group: 'Open' | 'Closed') {
  const { items } = await bridge.service.listStatuses({
    query: { sortBy: 'order', workspaceId: workspaceOfTicket(ticket) },
  });
  const status =
    items.find((one) => one.statusGroup.label === group && one.system) ??
    items.find((one) => one.statusGroup.label === group && one.requestTypes.length === 0);
  if (!status) throw new GiveUp(`the service has no status of the group ${group}`);
  return status;
}

/** Sets a ticket's status for a user of the service and confirms it. Throws ServiceError. */
export async function setStatus(
  bridge: Bridge,
  ticket: Ticket,
  { id, label }: { id: string; label: string },
  by: string | null,
): Promise<ChatAnswer> {
  const reference = ticketLink(bridge, ticket.code);
  if (ticket.statusId === id) return { text: `${reference} is *${escapeMrkdwn(label)}* already.` };
  await updateTicket(bridge, by, ticket.id, { statusId: id });
  return { text: `${reference} is now *${escapeMrkdwn(label)}*.` };
}

export type ActionAnswer = ChatAnswer & { refused?: boolean };

/**
 * Closes or reopens a ticket for its requester (B25). Reopening a merged ticket does not undo the merge: the ticket
 * that it was merged into is reopened.
 */
export async function closeOrReopen(
  bridge: Bridge,
  ticket: Ticket,
  person: Person,
  act: 'close' | 'reopen',
): Promise<ActionAnswer> {
  const permissions = await permissionsFor(bridge, ticket, person);
  if (!permissions.sees || !may(act, permissions))
    return { text: refusalText(ticket, permissions), refused: true };
  if (act === 'reopen' && (permissions.isRequester || !permissions.isTeam)) {
    const target = await mergeTargetOf(bridge, ticket);
    if (target.id !== ticket.id) return reopenMergeTarget(bridge, ticket, target, person);
  }
  const reference = ticketLink(bridge, ticket.code);
  const group = ticket.status.statusGroup.label;
  if (hasEnded(group) === (act === 'close'))
    return {
      text: `${reference} is ${group === 'Closed' ? 'closed' : group === 'Done' ? 'done' : 'open'} already.`,
      refused: true,
    };
  await setGroup(bridge, ticket, act === 'close' ? 'Closed' : 'Open', person.user_id);
  return { text: `${reference} is ${act === 'close' ? 'closed' : 'open again'}.` };
}

async function reopenMergeTarget(
  bridge: Bridge,
  ticket: Ticket,
  target: Ticket,
  person: Person,
): Promise<ActionAnswer> {
  const [own, other] = [ticketLink(bridge, ticket.code), ticketLink(bridge, target.code)];
  if (!hasEnded(target.status.statusGroup.label))
    return {
      text: `${own} was merged into ${other}, which is open. What you write in your thread is added to it.`,
      refused: true,
    };
  await setGroup(bridge, target, 'Open', person.user_id);
  return { text: `${own} was merged into ${other}, which is open again.` };
}

export async function assignTo(bridge: Bridge, ticket: Ticket, person: Person): Promise<ActionAnswer> {
  const refusal = await refusalFor(bridge, ticket, person, 'assign');
  if (refusal) return refusal;
  const { user_id: assigneeId } = person;
  if (assigneeId === null) return { text: 'You are not a user of the help desk yet.', refused: true };
  const reference = ticketLink(bridge, ticket.code);
  if (ticket.assigneeId === assigneeId)
    return { text: `${reference} is already assigned to you.`, refused: true };
  // An agent took over: the AI agent no longer answers (B57).
  await updateTicket(bridge, assigneeId, ticket.id, { assigneeId, disableAIResponse: true });
  return { text: `${reference} is now assigned to you.` };
}

export async function chooseStatus(
  bridge: Bridge,
  ticket: Ticket,
  person: Person,
  statusId: string,
): Promise<ActionAnswer> {
  const chosen = (await bridge.statuses.of(ticket)).find(({ id }) => id === statusId);
  if (!chosen) return { text: 'This status no longer exists.', refused: true };
  const refusal = await refusalFor(bridge, ticket, person, actOfStatus(ticket, chosen));
  if (refusal) return refusal;
  return setStatus(bridge, ticket, chosen, person.user_id);
}

/** Returns the action of a status: requesters may only close and reopen (B25). */
export function actOfStatus(ticket: Ticket, chosen: { statusGroup: { label: string } }): Act {
  if (chosen.statusGroup.label === 'Closed') return 'close';
  return hasEnded(ticket.status.statusGroup.label) && chosen.statusGroup.label === 'Open'
    ? 'reopen'
    : 'status';
}

/** Returns why a user may not do this; undefined if they may (B25). */
export async function refusalFor(
  bridge: Bridge,
  ticket: Ticket,
  person: Person,
  act: Act,
): Promise<ActionAnswer | undefined> {
  const permissions = await permissionsFor(bridge, ticket, person);
  if (!permissions.sees || !may(act, permissions))
    return { text: refusalText(ticket, permissions), refused: true };
  // Reopening a merged ticket undoes the merge, which is for the team to decide.
  if (act !== 'reopen' || permissions.isTeam || !ticket.mergedIntoId) return undefined;
  const target = await mergeTargetOf(bridge, ticket);
  return {
    text: `${ticketLink(bridge, ticket.code)} was merged into ${ticketLink(bridge, target.code)}, and only the team can undo that. What you write in your thread is added to ${escapeMrkdwn(target.code)}.`,
    refused: true,
  };
}

/** Returns the message for a user without permission. */
export function refusalText(
  ticket: Pick<Ticket, 'queue'>,
  { sees, isRequester }: { sees: boolean; isRequester: boolean },
): string {
  if (!sees) return 'You cannot see this ticket.';
  const team = ticket.queue ? `the team of ${escapeMrkdwn(ticket.queue.name)}` : 'its team';
  return isRequester
    ? `Only ${team} can do that. You can close your request, or open it again, and everything you write in the thread reaches them.`
    : `Only ${team} can do that. What you write in the thread reaches them.`;
}
