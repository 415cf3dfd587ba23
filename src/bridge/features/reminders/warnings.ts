import { z } from 'zod';

import type { Answer } from '../../../client/index.ts';
import type { Bridge } from '../../bridge.ts';
import { CLOCKS_DIFFER_MS } from '../../first-run.ts';
import { noticeLevelOf } from '../../people/notice-level.ts';
import { chatUsersOf, peopleNamed } from '../../people/people.ts';
import { settingOr, writeSetting } from '../../settings.ts';
import { permissionsFor, readTicket, type Ticket } from '../../tickets/find-ticket.ts';
import { directWith } from '../../tickets/reach.ts';
import { hasEnded } from '../../tickets/rules.ts';
import type { Write } from '../../work.ts';
import { type Line, lineIn, type LinePlace, placeIn, planLine, teamPlace } from './lines.ts';
import type { ReminderKind } from './rules.ts';

type Warning = Answer<'listTicketWarnings'>['items'][number];

/** The setting with the time since which a workspace's warnings are read: each has its own, as one may be behind. */
const keyOf = (workspaceId: string) => `warnings-from ${workspaceId}`;
const From = z.iso.datetime();
/** A warning may be stored a little later than it says, and the service's clock may be behind. */
const OVERLAP_MS = CLOCKS_DIFFER_MS + 2 * 60_000;
/** Warnings told at once. */
const AT_ONCE = 200;

/**
 * Tells what the service warns of: a queue's team and the assignee, a person or a channel, each warning once. Its
 * events only say that there is something to read, so none is missed while this is not running. Throws ServiceError,
 * ChatError.
 */
export async function tellWarnings(bridge: Bridge): Promise<Write | undefined> {
  if (!(await bridge.warnings.areSent())) return undefined;
  const writes: Write[] = [];
  for (const workspaceId of await bridge.channels.workspaceIds())
    writes.push(await tellWarningsOf(bridge, workspaceId));
  return async (tx) => {
    for (const write of writes) await write(tx);
  };
}

async function tellWarningsOf(bridge: Bridge, workspaceId: string): Promise<Write> {
  const now = bridge.clock.now();
  const key = keyOf(workspaceId);
  const first = new Date(now.getTime() - OVERLAP_MS).toISOString();
  const from = await settingOr(bridge.database.db, key, From, first);
  const { untold, next } = await readUntold(bridge, workspaceId, from);
  const lines: Line[] = [];
  for (const warning of untold) lines.push(...(await linesOf(bridge, warning)));
  return async (tx) => {
    if (untold.length > 0)
      await tx
        .insertInto('reminder')
        .values(untold.map((warning) => ({ ...recordOf(warning), sent_at: now })))
        .execute();
    for (const line of lines) await planLine(tx, bridge, line);
    if (next !== from) await writeSetting(tx, key, next);
  };
}

/** Returns a workspace's warnings that were not told yet, oldest first, and where the next round begins. */
async function readUntold(
  bridge: Bridge,
  workspaceId: string,
  from: string,
): Promise<{ untold: Warning[]; next: string }> {
  const untold: Warning[] = [];
  let last: string | undefined;
  const query = { workspaceId, createdFrom: from, sortBy: 'createdAt', sortDirection: 'asc' } as const;
  for await (const warning of bridge.service.all('listTicketWarnings', { query })) {
    last = warning.createdAt;
    if (!(await isTold(bridge, warning))) untold.push(warning);
    // The next round begins with this instant, of which there may be more.
    if (untold.length === AT_ONCE) return { untold, next: last };
  }
  if (last === undefined) return { untold, next: from };
  const next = new Date(Date.parse(last) - OVERLAP_MS).toISOString();
  return { untold, next: next > from ? next : from };
}

/** The record of a sent warning; the same as that of the bridge's own reminders. */
function recordOf({ id, ticketId, createdAt }: Warning): { ticket_id: string; kind: string; at: Date } {
  return { ticket_id: ticketId, kind: `warning ${id}`, at: new Date(createdAt) };
}

/** The team may have been reminded by the bridge itself, before the service warned. */
async function isTold({ database }: Bridge, warning: Warning): Promise<boolean> {
  const own = warning.recipient === 'team' ? [reminderKindOf(warning)] : [];
  const told = await database.db
    .selectFrom('reminder')
    .select('kind')
    .where('ticket_id', '=', warning.ticketId)
    .where('kind', 'in', [recordOf(warning).kind, ...own])
    .where('sent_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return told !== undefined;
}

/** Returns what to say of a warning, and where; nothing if it is not late any more, or nobody can read it. */
async function linesOf(bridge: Bridge, warning: Warning): Promise<Line[]> {
  const ticket = await readTicket(bridge, warning.ticketId);
  if (!ticket || !isStillTrue(ticket, warning)) return [];
  if (!(await bridge.channels.isOffered(ticket.queue?.workspaceId))) return [];
  const lines: Line[] = [];
  for (const place of await warningPlaces(bridge, ticket, warning))
    lines.push(await lineIn(bridge, ticket, reminderKindOf(warning), place));
  return lines;
}

/** Whether a target that was missed some time ago is still open and not waiting for the requester. */
function isStillTrue({ status, archivedAt, respondedAt, slaPausedAt }: Ticket, { target }: Warning): boolean {
  if (archivedAt !== null || slaPausedAt !== null || hasEnded(status.statusGroup.label)) return false;
  return target !== 'first-reply' || respondedAt === null;
}

function reminderKindOf({ target, percent }: Warning): ReminderKind {
  if (target === 'first-reply') return percent < 100 ? 'response-soon' : 'response-late';
  return percent < 100 ? 'resolution-soon' : 'resolution-late';
}

async function warningPlaces(bridge: Bridge, ticket: Ticket, warning: Warning): Promise<LinePlace[]> {
  const { recipient, userId, chatChannelId } = warning;
  const places =
    recipient === 'team'
      ? [await teamPlace(bridge, ticket), await personPlace(bridge, ticket, ticket.assigneeId)]
      : recipient === 'person'
        ? [await personPlace(bridge, ticket, userId)]
        : [await channelPlace(bridge, ticket, chatChannelId)];
  return places.filter((place) => place !== undefined);
}

/** Where anybody could read it, a ticket that not everyone may read is not named: then its team is told. */
async function channelPlace(
  bridge: Bridge,
  ticket: Ticket,
  channel: string | null,
): Promise<LinePlace | undefined> {
  if (channel === null) return undefined;
  const isOpen = !(await bridge.chat.isPrivate(channel));
  if (isOpen && !(await bridge.channels.isForEveryone(ticket))) return teamPlace(bridge, ticket);
  return { place: placeIn(bridge, channel), isOpen };
}

/** A person is told who may read the ticket and wants to be notified. */
async function personPlace(
  bridge: Bridge,
  ticket: Ticket,
  userId: string | null,
): Promise<LinePlace | undefined> {
  if (userId === null) return undefined;
  const { team } = bridge.bot;
  const account = (await chatUsersOf(bridge, [userId])).get(userId);
  if (account === undefined) return undefined;
  const person = (await peopleNamed(bridge, team, [account])).get(account);
  if (person?.is_bot !== false || !(await permissionsFor(bridge, ticket, person)).sees) return undefined;
  if ((await noticeLevelOf(bridge, { team, user: account })) === 'none') return undefined;
  const channel = await directWith(bridge, account);
  return channel === undefined ? undefined : { place: placeIn(bridge, channel) };
}
