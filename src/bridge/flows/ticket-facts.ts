import { type CardControls, type CardFacts, link } from '../blocks/card.ts';
import type { Bridge } from '../bridge.ts';
import { UNTITLED } from '../decide/title.ts';
import { pageUrl } from '../links/page-links.ts';
import { userName } from '../links/user-name.ts';
import type { Ticket } from './find-ticket.ts';

/** Where a ticket's reference leads: to its page, by a link that shows that we gave it not too long ago. */
export function ticketUrl(
  { publicUrl, pageKey, clock }: Pick<Bridge, 'publicUrl' | 'pageKey' | 'clock'>,
  code: string,
): string {
  return pageUrl(publicUrl, pageKey, code, clock.now());
}

/** A ticket's reference as people read it in chat: it leads to its page. */
export function ticketLink(bridge: Pick<Bridge, 'publicUrl' | 'pageKey' | 'clock'>, code: string): string {
  return link(ticketUrl(bridge, code), code);
}

/** What a card says of a ticket: its record, with people by name. */
export async function factsOf(bridge: Bridge, ticket: Ticket): Promise<CardFacts> {
  const approvers = ticket.approvers.map(({ id }) => id).slice(0, APPROVERS_SHOWN);
  const { approval } = ticket.metadata;
  const decider = approval?.userId ?? null;
  const answering = ticket.metadata.claim?.userId ?? null;
  const nameOf = await namesOf(bridge, [
    ticket.requesterId,
    ticket.assigneeId,
    decider,
    answering,
    ...approvers,
  ]);
  return {
    code: ticket.code,
    url: ticketUrl(bridge, ticket.code),
    title: ticket.title ?? UNTITLED,
    status: ticket.status.label,
    statusGroup: ticket.status.statusGroup.label,
    priority: ticket.priority,
    requester: nameOf(ticket.requesterId),
    assignee: nameOf(ticket.assigneeId),
    queue: ticket.queue?.name,
    private: ticket.private,
    approvers: approvers.map((id) => nameOf(id) ?? 'somebody'),
    approval: ticket.approvedAt ? 'approved' : ticket.declinedAt ? 'declined' : undefined,
    decidedBy: nameOf(decider),
    reason: approval?.reason ?? null,
    answering: nameOf(answering),
    due: dateOf(ticket.dueAt),
    snoozedUntil: dateOf(ticket.snoozeUntil, bridge.clock.now()),
  };
}

const APPROVERS_SHOWN = 5;

/** The names of some of the service's users. */
export async function namesOf(
  { service }: Pick<Bridge, 'service'>,
  userIds: readonly (string | null)[],
): Promise<(id: string | null) => string | undefined> {
  const ids = [...new Set(userIds.filter((id) => id !== null))];
  const { items } =
    ids.length > 0 ? await service.listUsers({ query: { set: ids.join(',') } }) : { items: [] };
  return (id) => {
    const user = items.find((one) => one.id === id);
    return user && userName(user);
  };
}

/** Undefined where there is none, or it lies before `from`. */
function dateOf(at: string | null, from?: Date): Date | undefined {
  if (at === null) return undefined;
  const date = new Date(at);
  return from && date <= from ? undefined : date;
}

/** The controls of a ticket's card. */
export async function controlsOf(bridge: Bridge, ticket: Ticket, triage: boolean): Promise<CardControls> {
  return {
    ticketId: ticket.id,
    statusId: ticket.statusId,
    statuses: await bridge.statuses.of(ticket),
    triage,
    version: Date.parse(ticket.updatedAt).toString(36),
  };
}
