import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

import { type CardControls, type CardFacts, link } from '../blocks/card.ts';
import type { Bridge } from '../bridge.ts';
import { promisedReply } from '../../contract/index.ts';
import { addWorkingTime } from '../../platform/working-time.ts';
import { hasEnded, snoozedUntil, UNTITLED } from './rules.ts';
import { userName, type User, usersOf } from '../people/people.ts';
import { findByTicket } from '../store/conversations.ts';
import { mergeTargetOf, type Ticket } from './find-ticket.ts';

/** The setting that stores the key for signing links to ticket pages. */
export const PAGE_KEY = 'page-key';
export const PageKey = z.string().min(32);

/** Path of the signed ticket pages, below the web server's root. */
export const PAGE_PATH = '/shared';
/** A ticket's address at the desk, which people paste too. */
const DESK_PATH = '/tickets';
/** Where requesters read theirs at the desk. */
const REQUESTS_PATH = '/requests';

/** 128 bits: unguessable, and the link stays short. */
const SIGNATURE_CHARACTERS = 22;

/** All links of one period expire at the same time, so that what contains a link need not change daily. */
const PERIOD_MS = 30 * 24 * 60 * 60_000;
/** Including the period in which a link is made: it works for at least 90 days. */
const PERIODS = 4;

/** Days for which a link works, at least. */
export const LINK_DAYS = 90;

/** Returns the signature of a ticket page's link, valid for this reference and for a limited time. */
export function pageKeyOf(secret: string, code: string, now: Date): string {
  const until = periodOf(now) + PERIODS;
  return `${until.toString(36)}.${signatureOf(secret, code, until)}`;
}

/** @param key the link's signature, possibly invalid. */
export function isGood(secret: string, code: string, key: unknown, now: Date): boolean {
  const [, period = '', signature = ''] = /^([0-9a-z]{1,6})\.([\w-]{22})$/.exec(String(key)) ?? [];
  const until = Number.parseInt(period, 36);
  if (typeof key !== 'string' || !(until > periodOf(now))) return false;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(secret, code, until)));
}

function signatureOf(secret: string, code: string, until: number): string {
  const digest = createHmac('sha256', secret)
    .update(`ticket page ${code} until ${until}`)
    .digest('base64url');
  return digest.slice(0, SIGNATURE_CHARACTERS);
}

function periodOf(now: Date): number {
  return Math.floor(now.getTime() / PERIOD_MS);
}

/** Returns the reference in the URL of a ticket's page, signed or the desk's; undefined for any other URL. */
export function codeOfPage(publicUrl: string, address: string): string | undefined {
  const url = URL.parse(address);
  const base = [PAGE_PATH, DESK_PATH]
    .map((path) => URL.parse(`${publicUrl}${path}/`))
    .find((each) => each && each.origin === url?.origin && url.pathname.startsWith(each.pathname));
  if (!url || !base) return undefined;
  const code = url.pathname.slice(base.pathname.length);
  return /^[A-Za-z][A-Za-z0-9]{0,9}-\d{1,9}$/.test(code) ? code.toUpperCase() : undefined;
}

/** Returns the URL of a ticket's page, with the signature of a recent link. */
export function ticketUrl(
  { publicUrl, pageKey, clock }: Pick<Bridge, 'publicUrl' | 'pageKey' | 'clock'>,
  code: string,
): string {
  return `${publicUrl}${PAGE_PATH}/${encodeURIComponent(code)}?k=${pageKeyOf(pageKey, code, clock.now())}`;
}

/** Returns the URL of a ticket at the desk; undefined if there is none. */
export function deskPageOf({ deskUrl }: Pick<Bridge, 'deskUrl'>, code: string): string | undefined {
  return deskUrl && `${deskUrl}${DESK_PATH}/${encodeURIComponent(code)}`;
}

/** Returns the URL of a request at the desk, for who asked; undefined if there is none. */
export function requestPageOf({ deskUrl }: Pick<Bridge, 'deskUrl'>, code: string): string | undefined {
  return deskUrl && `${deskUrl}${REQUESTS_PATH}/${encodeURIComponent(code)}`;
}

/** Returns a ticket's reference as a link to its page, for chat. */
export function ticketLink(bridge: Pick<Bridge, 'publicUrl' | 'pageKey' | 'clock'>, code: string): string {
  return link(ticketUrl(bridge, code), code);
}

/** Returns what a card shows: the ticket's record, with names. */
export async function readCardFacts(bridge: Bridge, ticket: Ticket): Promise<CardFacts> {
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
    mergedInto: await mergedIntoOf(bridge, ticket),
    firstReply: await firstReplyOf(bridge, ticket),
    assignee: nameOf(ticket.assigneeId),
    queue: ticket.queue?.name,
    private: ticket.private,
    readers: await bridge.channels.readersOf(ticket.queueId),
    askedIn: await channelAskedIn(bridge, ticket),
    approvers: approvers.map((id) => nameOf(id) ?? 'unknown user'),
    approval: ticket.approvedAt ? 'approved' : ticket.declinedAt ? 'declined' : undefined,
    decidedBy: nameOf(decider),
    reason: approval?.reason ?? null,
    answering: nameOf(answering),
    due: ticket.dueAt === null ? undefined : new Date(ticket.dueAt),
    snoozedUntil: snoozedUntil(ticket, bridge.clock.now()),
  };
}

const APPROVERS_SHOWN = 5;

/**
 * Returns the channel with the thread in which a ticket was asked; undefined in direct messages, and without a thread.
 */
async function channelAskedIn(bridge: Bridge, { id }: Pick<Ticket, 'id'>): Promise<string | undefined> {
  const request = await findByTicket(bridge.database.db, id);
  return request && !request.direct ? request.channel_id : undefined;
}

async function mergedIntoOf(bridge: Bridge, ticket: Ticket): Promise<CardFacts['mergedInto']> {
  const { id, code, status } = await mergeTargetOf(bridge, ticket);
  if (id === ticket.id) return undefined;
  return { code, url: ticketUrl(bridge, code), ended: hasEnded(status.statusGroup.label) };
}

type PromisedTicket = Pick<
  Ticket,
  'respondedAt' | 'queueId' | 'priority' | 'createdAt' | 'expectedReplyAt' | 'firstReplyDueAt' | 'slaPausedAt'
>;

/**
 * Returns when a first reply is expected, and whether that has passed; undefined once there is a reply, while the
 * ticket waits for its requester, or if nothing can be said. Throws ServiceError.
 */
export async function firstReplyOf(
  bridge: Pick<Bridge, 'channels' | 'firstReplies' | 'teamHours' | 'clock' | 'warnings'>,
  ticket: PromisedTicket,
): Promise<CardFacts['firstReply']> {
  const { respondedAt, expectedReplyAt, slaPausedAt } = ticket;
  if (respondedAt !== null || slaPausedAt !== null) return undefined;
  const now = bridge.clock.now();
  if (expectedReplyAt !== null) return promisedReply(expectedReplyAt, now);
  // A service that keeps its targets itself says that there is nothing to promise: the assignee is away, for example.
  if (await bridge.warnings.areSent()) return undefined;
  const at = await estimatedReplyOf(bridge, ticket);
  return at === undefined || at <= now ? undefined : promisedReply(at, now);
}

/**
 * Returns what follows from the queue where another service does not say it; undefined if there is too little to go by.
 */
async function estimatedReplyOf(
  { channels, firstReplies, teamHours }: Pick<Bridge, 'channels' | 'firstReplies' | 'teamHours'>,
  { queueId, firstReplyDueAt, priority, createdAt }: PromisedTicket,
): Promise<Date | undefined> {
  const queue = queueId === null ? undefined : await channels.queue(queueId);
  if (!queue) return undefined;
  if (firstReplyDueAt !== null) return new Date(firstReplyDueAt);
  const seconds = await firstReplies.usual(queue, priority);
  if (seconds === undefined) return undefined;
  return addWorkingTime(await teamHours.of(queue), new Date(createdAt), seconds / 60);
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

export async function userNames(
  bridge: Pick<Bridge, 'service' | 'channels'>,
  userIds: readonly (string | null)[],
): Promise<(id: string | null) => string | undefined> {
  return nameIn(await namedUsers(bridge, userIds));
}

/**
 * Returns the controls of a ticket's card.
 * @param reader who the card is for: the team in a triage channel or elsewhere, the requester, or other readers.
 * @param mergedInto the ticket that continues in place of this one: the requester's controls act on that one.
 * @param alone whether only the requester sees the card.
 */
export async function controlsOf(
  bridge: Bridge,
  ticket: Ticket,
  reader: 'triage' | CardControls['for'],
  { mergedInto, alone = false }: { mergedInto?: CardFacts['mergedInto']; alone?: boolean } = {},
): Promise<CardControls> {
  const own = { ticketId: ticket.id, version: Date.parse(ticket.updatedAt).toString(36) };
  if (reader === 'reader') return { ...own, for: reader };
  if (reader === 'requester')
    return {
      ...own,
      for: reader,
      ended: mergedInto ? mergedInto.ended : hasEnded(ticket.status.statusGroup.label),
      mergedInto: mergedInto?.code,
      alone,
    };
  return {
    ...own,
    for: 'team',
    unassigned: ticket.assigneeId === null,
    statusId: ticket.statusId,
    statuses: await bridge.statuses.of(ticket),
    triage: reader === 'triage',
  };
}
