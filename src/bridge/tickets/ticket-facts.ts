import { type CardControls, type CardFacts, link } from '../blocks/card.ts';
import type { Bridge } from '../bridge.ts';
import { hasEnded, snoozeOf } from './status-rules.ts';
import { UNTITLED } from './title-rules.ts';
import { pageUrl } from './page-links.ts';
import { userName } from '../people/user-name.ts';
import { type User, usersOf } from '../people/users.ts';
import type { Ticket } from './find-ticket.ts';

/** Returns the URL of a ticket's page, with the signature of a recent link. */
export function ticketUrl(
  { publicUrl, pageKey, clock }: Pick<Bridge, 'publicUrl' | 'pageKey' | 'clock'>,
  code: string,
): string {
  return pageUrl(publicUrl, pageKey, code, clock.now());
}

/** Returns a ticket's reference as a link to its page, for chat. */
export function ticketLink(bridge: Pick<Bridge, 'publicUrl' | 'pageKey' | 'clock'>, code: string): string {
  return link(ticketUrl(bridge, code), code);
}

/** Returns what a card shows: the ticket's record, with names. */
export async function factsOf(bridge: Bridge, ticket: Ticket): Promise<CardFacts> {
  const approvers = ticket.approvers.map(({ id }) => id).slice(0, APPROVERS_SHOWN);
  const { approval } = ticket.metadata;
  const decider = approval?.userId ?? null;
  const answering = ticket.metadata.claim?.userId ?? null;
  const userOf = await namedUsers(bridge, [
    ticket.requesterId,
    ticket.assigneeId,
    decider,
    answering,
    ...approvers,
  ]);
  const nameOf = nameIn(userOf);
  const { label: statusGroup } = ticket.status.statusGroup;
  return {
    code: ticket.code,
    url: ticketUrl(bridge, ticket.code),
    title: ticket.title ?? UNTITLED,
    status: ticket.status.label,
    statusGroup,
    priority: ticket.priority,
    requester: nameOf(ticket.requesterId),
    firstName: userOf(ticket.requesterId)?.firstName ?? undefined,
    firstReplySeconds: await firstReplyOf(bridge, ticket),
    assignee: nameOf(ticket.assigneeId),
    queue: ticket.queue?.name,
    private: ticket.private,
    approvers: approvers.map((id) => nameOf(id) ?? 'somebody'),
    approval: ticket.approvedAt ? 'approved' : ticket.declinedAt ? 'declined' : undefined,
    decidedBy: nameOf(decider),
    reason: approval?.reason ?? null,
    answering: nameOf(answering),
    due: ticket.dueAt === null ? undefined : new Date(ticket.dueAt),
    snoozedUntil: snoozeOf(ticket, bridge.clock.now()),
  };
}

const APPROVERS_SHOWN = 5;

/** Returns when a first reply is expected, while there is none. */
async function firstReplyOf(
  { channels, firstReplies }: Bridge,
  { respondedAt, queueId, priority }: Ticket,
): Promise<number | undefined> {
  const queue = respondedAt !== null || queueId === null ? undefined : await channels.queue(queueId);
  return queue && firstReplies.usual(queue, priority);
}

async function namedUsers(
  bridge: Pick<Bridge, 'service' | 'channels'>,
  userIds: readonly (string | null)[],
): Promise<(id: string | null) => User | undefined> {
  const users = await usersOf(
    bridge,
    userIds.filter((id) => id !== null),
  );
  return (id) => users.find((one) => one.id === id);
}

const nameIn = (userOf: (id: string | null) => User | undefined) => (id: string | null) => {
  const user = userOf(id);
  return user && userName(user);
};

/** Returns the names of some of the service's users. */
export async function namesOf(
  bridge: Pick<Bridge, 'service' | 'channels'>,
  userIds: readonly (string | null)[],
): Promise<(id: string | null) => string | undefined> {
  return nameIn(await namedUsers(bridge, userIds));
}

/**
 * Returns the controls of a ticket's card.
 * @param reader who the card is for: the team in a triage channel or elsewhere, the requester, or other readers.
 */
export async function controlsOf(
  bridge: Bridge,
  ticket: Ticket,
  reader: 'triage' | CardControls['for'],
): Promise<CardControls> {
  const own = { ticketId: ticket.id, version: Date.parse(ticket.updatedAt).toString(36) };
  if (reader === 'reader') return { ...own, for: reader };
  if (reader === 'requester')
    return { ...own, for: reader, ended: hasEnded(ticket.status.statusGroup.label) };
  return {
    ...own,
    for: 'team',
    unassigned: ticket.assigneeId === null,
    statusId: ticket.statusId,
    statuses: await bridge.statuses.of(ticket),
    triage: reader === 'triage',
  };
}
