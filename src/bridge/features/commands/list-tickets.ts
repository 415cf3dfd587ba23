import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import { isTrusted } from '../../people/trust.ts';
import { z } from 'zod';

import { type ResultLine, resultBlocks } from '../../blocks/results.ts';
import { readStored } from '../../blocks/modals.ts';
import type { Bridge } from '../../bridge.ts';
import type { Answer } from '../../slack/respond.ts';
import type { Shared } from '../shown/index.ts';
import { BEST, type Hit, isVisible, type Listed, queuesOf, searchTickets } from '../../tickets/search.ts';
import { hasEnded, snoozedUntil, UNTITLED } from '../../tickets/rules.ts';
import type { Person } from '../../people/people.ts';
import { ticketUrl } from '../../tickets/ticket-facts.ts';

const PAGE = 10;
const QueueRef = z.object({ id: z.string(), name: z.string() });

/** The lists, by whose they are: a user's own, or a queue's. */
const List = z.union([
  z.object({ list: z.enum(['mine', 'assigned']) }),
  z.object({ list: z.enum(['open', 'unassigned', 'snoozed']), queue: QueueRef }),
]);
export type List = z.infer<typeof List>;

/** The tickets that a user wants to list; its buttons carry it from page to page. */
const Wanted = z.union([z.object({ words: z.string() }), List]);
type Wanted = z.infer<typeof Wanted>;

/** The position in a list: workspace by workspace, because a list covers one. */
const Place = z.object({ workspaceId: z.string(), cursor: z.string().optional() });
type Place = z.infer<typeof Place>;

const Page = z.object({ wanted: Wanted, from: Place.optional(), skip: z.int().min(0).optional() });
type Page = z.infer<typeof Page>;

/** Lists tickets that a user may see, ten at a time (B34, B35, B62). */
export async function listTickets(bridge: Bridge, person: Person, page: Page): Promise<Answer> {
  const { hits, total, next, meaning } = await readPageOf(bridge, person, page);
  const { wanted } = page;
  const isFurther = page.from !== undefined || page.skip !== undefined;
  if (hits.length === 0) return { text: nothingFound(wanted, isFurther, meaning) };
  const isSnoozed = hits.some(({ ticket }) => snoozedUntil(ticket, bridge.clock.now()) !== undefined);
  const queues = isSnoozed ? await queuesOf(bridge, person) : NO_QUEUES;
  return resultBlocks(listHeading(wanted, total), linesOf(bridge, hits, queues), {
    note: meaning ? undefined : BY_WORDS_ONLY,
    next: next && JSON.stringify(next),
    // The channel may read what everyone may.
    share: (await forEveryone(bridge, hits)).length > 0 ? JSON.stringify(page) : undefined,
    now: bridge.clock.now(),
  });
}

/** Returns those results that everyone may read. */
async function forEveryone({ channels }: Bridge, hits: readonly Hit[]): Promise<Hit[]> {
  const shown: Hit[] = [];
  for (const hit of hits) if (await channels.isForEveryone(hit.ticket)) shown.push(hit);
  return shown;
}

/** The same page for a whole channel: only what everyone may read, without internal notes (B35). */
export async function sharedList(bridge: Bridge, person: Person, page: Page): Promise<Shared | Answer> {
  const { hits } = await readPageOf(bridge, person, page);
  const shown = (await forEveryone(bridge, hits)).map(({ ticket, match }) => ({
    ticket,
    match: match && { ...match, snippets: match.snippets.filter(({ field }) => field !== 'note') },
  }));
  if (shown.length === 0) return { text: 'There is nothing here that may be shown in the channel.' };
  const head = `${escapeMrkdwn(person.name)} shows ${ticketCount(shown.length)}`;
  return {
    ...resultBlocks(head, linesOf(bridge, shown, NO_QUEUES), { next: undefined, now: bridge.clock.now() }),
    tickets: shown.map(({ ticket }) => ticket.id),
  };
}

async function readPageOf(
  bridge: Bridge,
  person: Person,
  page: Page,
): Promise<{ hits: Hit[]; total: number; next: Page | undefined; meaning: boolean }> {
  const { wanted, from, skip = 0 } = page;
  if ('words' in wanted) {
    const { hits: found, meaning } = await searchTickets(bridge, wanted.words, {
      person,
      queues: await queuesOf(bridge, person),
    });
    const next = found.length > skip + PAGE ? { wanted, skip: skip + PAGE } : undefined;
    return { hits: found.slice(skip, skip + PAGE), total: found.length, next, meaning };
  }
  const { items, total, next } = await visiblePage(bridge, person, wanted, from);
  const further = next && { wanted, from: next };
  return { hits: items.map((ticket) => ({ ticket })), total, next: further, meaning: true };
}

/** Returns the number of tickets; with a service that ignores the filters, only those of the first page. */
export async function countTickets(bridge: Bridge, person: Person, list: List): Promise<number> {
  return (await visiblePage(bridge, person, list)).total;
}

/** Returns tickets of a user, newest first: their requests, their assignments, and their team's queue. */
export async function recentTickets(
  bridge: Bridge,
  person: Person,
  { queueId, ended, limit }: { queueId: string | undefined; ended: boolean | undefined; limit: number },
): Promise<{ id: string; code: string; title: string }[]> {
  const query: Query = {
    sortBy: 'updatedAt',
    sortDirection: 'desc',
    limit,
    queueId,
    ...(ended === false && { openFilter: true }),
  };
  const { user_id } = person;
  const queries: Query[] = [];
  if (user_id !== null)
    for (const own of [{ requesterId: user_id }, { assigneeId: user_id }])
      queries.push({ ...query, ...own, visibleToUserId: user_id });
  const queues = await queuesOf(bridge, person);
  if (queueId !== undefined && queues.has(queueId)) queries.push(query);
  const found = new Map<string, Listed>();
  for (const workspaceId of await workspacesOf(bridge, queueId))
    for (const one of queries)
      for (const ticket of (await bridge.service.listTickets({ query: { ...one, workspaceId } })).items)
        if (ended === undefined || hasEnded(ticket.status.statusGroup.label) === ended)
          if (await isVisible(bridge, ticket, person, queues)) found.set(ticket.id, ticket);
  return [...found.values()]
    .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
    .slice(0, limit)
    .map(({ id, code, title }) => ({ id, code, title: title ?? UNTITLED }));
}

/** Returns the page of a list's button; undefined if its value is not ours. */
export function readPage(value: string): Page | undefined {
  return readStored(Page, value);
}

const NO_QUEUES: ReadonlySet<string | null> = new Set();

/** @param queues those whose team the reader is in: only a team sees a snooze. */
function linesOf(bridge: Bridge, hits: readonly Hit[], queues: ReadonlySet<string | null>): ResultLine[] {
  return hits.map(({ ticket, match }) => ({
    code: ticket.code,
    url: ticketUrl(bridge, ticket.code),
    title: ticket.title ?? UNTITLED,
    status: ticket.status.label,
    private: ticket.private,
    snoozedUntil: queues.has(ticket.queueId) ? snoozedUntil(ticket, bridge.clock.now()) : undefined,
    createdAt: new Date(ticket.createdAt),
    match,
  }));
}

/** Maximum number of pages read without a result, if a service returns tickets that this user may not see. */
const PAGES = 5;

/** Returns the next page with tickets that this user may see; others do not even count. */
async function visiblePage(
  bridge: Bridge,
  person: Person,
  wanted: List,
  from?: Place,
): Promise<{ items: Listed[]; total: number; next: Place | undefined }> {
  const queues = await queuesOf(bridge, person);
  const query = {
    ...queryOf(person, wanted, queues),
    ...(!(await isTrusted(bridge)) && { onlyOwn: true }),
  };
  const workspaces = await workspacesOf(bridge, 'queue' in wanted ? wanted.queue.id : undefined);
  let at = from ?? placeIn(workspaces[0]);
  for (let page = 1; at !== undefined; page++) {
    const { workspaceId, cursor } = at;
    const { items, totalCount, nextCursor } = await bridge.service.listTickets({
      query: { ...query, workspaceId, limit: PAGE, cursor },
    });
    const seen: Listed[] = [];
    for (const ticket of items.filter((one) => isWanted(one, person, wanted, bridge.clock.now())))
      if (await isVisible(bridge, ticket, person, queues)) seen.push(ticket);
    const next: Place | undefined =
      nextCursor === null
        ? placeIn(workspaces[workspaces.indexOf(workspaceId) + 1])
        : { workspaceId, cursor: nextCursor };
    if (seen.length > 0 || next === undefined || page >= PAGES) {
      const here = seen.length === items.length ? totalCount : seen.length;
      const others = workspaces.filter((one) => one !== workspaceId);
      return { items: seen, total: here + (await countIn(bridge, query, others)), next };
    }
    at = next;
  }
  return { items: [], total: 0, next: undefined };
}

const placeIn = (workspaceId: string | undefined): Place | undefined =>
  workspaceId === undefined ? undefined : { workspaceId };

/** Returns the workspaces to list in chat: a queue's own, else all that are offered (B45). */
async function workspacesOf({ channels }: Bridge, queueId: string | undefined): Promise<string[]> {
  const queue = queueId === undefined ? undefined : await channels.queue(queueId);
  return queue ? [queue.workspaceId] : channels.offered();
}

async function countIn({ service }: Bridge, query: Query, workspaces: readonly string[]): Promise<number> {
  let count = 0;
  for (const workspaceId of workspaces)
    count += (await service.listTickets({ query: { ...query, workspaceId, limit: 1 } })).totalCount;
  return count;
}

type Query = NonNullable<Parameters<Bridge['service']['listTickets']>[0]['query']>;

/** @param queues those whose team the user is in: they see all of them. */
function queryOf(person: Person, wanted: List, queues: ReadonlySet<string | null>): Query {
  // A chat user without a user in the service sees public tickets.
  const visible: Query = person.user_id ? { visibleToUserId: person.user_id } : { private: false };
  const mine: Query = { openFilter: true, sortBy: 'updatedAt', sortDirection: 'desc' };
  if (wanted.list === 'mine') return { ...mine, ...visible, requesterId: person.user_id };
  // Snoozed tickets are hidden from the team's lists until their time; the requester's list shows them.
  const open: Query = { ...mine, snoozedFilter: wanted.list === 'snoozed' };
  if (!('queue' in wanted)) return { ...open, ...visible, assigneeId: person.user_id };
  return {
    ...open,
    ...(!queues.has(wanted.queue.id) && visible),
    queueId: wanted.queue.id,
    ...(wanted.list === 'unassigned' && { unassignedFilter: true }),
  };
}

/** Checked here too, because a service without the filters returns everything. */
function isWanted(ticket: Listed, { user_id }: Person, wanted: List, now: Date): boolean {
  if (hasEnded(ticket.status.statusGroup.label)) return false;
  const isSnoozed = snoozedUntil(ticket, now) !== undefined;
  if (wanted.list !== 'mine' && isSnoozed !== (wanted.list === 'snoozed')) return false;
  if ('queue' in wanted)
    return ticket.queueId === wanted.queue.id && (wanted.list !== 'unassigned' || ticket.assigneeId === null);
  return (wanted.list === 'mine' ? ticket.requesterId : ticket.assigneeId) === user_id;
}

function ticketCount(count: number): string {
  return `${count} ${count === 1 ? 'ticket' : 'tickets'}`;
}

function listHeading(wanted: Wanted, total: number): string {
  if ('words' in wanted)
    return `${total >= BEST ? `The best ${BEST} tickets` : ticketCount(total)} for “${escapeMrkdwn(wanted.words)}”`;
  return `${WORDS[wanted.list].head(queueIn(wanted))}: ${total}`;
}

/** Where the service left meaning out of a search. */
const BY_WORDS_ONLY = 'Searched by words only: search by meaning is still starting, or switched off.';

/** Names what was searched for (B34). */
function nothingFound(wanted: Wanted, isFurther: boolean, meaning: boolean): string {
  if (isFurther) return 'There are no more results.';
  if ('words' in wanted) {
    const searched = meaning
      ? 'I searched for the words and their meaning in titles, descriptions, messages, fields, names and names of files.'
      : `I searched for the words in titles, descriptions, messages, fields, names and names of files. ${BY_WORDS_ONLY}`;
    return `Nothing found for “${escapeMrkdwn(wanted.words)}” in the tickets you can see, open or closed: ${searched} Try fewer or other words.`;
  }
  return WORDS[wanted.list].none(queueIn(wanted));
}

const queueIn = (wanted: List) => ('queue' in wanted ? escapeMrkdwn(wanted.queue.name) : '');

/** The heading of a list, and the text that replaces an empty list. */
const WORDS: Record<List['list'], { head: (queue: string) => string; none: (queue: string) => string }> = {
  mine: { head: () => 'Your open requests', none: () => 'You have no open requests.' },
  assigned: { head: () => 'Open and assigned to you', none: () => 'No open ticket is assigned to you.' },
  open: {
    head: (queue) => `Open in ${queue}`,
    none: (queue) => `No ticket that you can see is open in ${queue}.`,
  },
  snoozed: {
    head: (queue) => `Snoozed in ${queue}`,
    none: (queue) => `No ticket that you can see is snoozed in ${queue}.`,
  },
  unassigned: {
    head: (queue) => `Open and unassigned in ${queue}`,
    none: (queue) => `Every open ticket in ${queue} that you can see is assigned.`,
  },
};
