// Reminds a ticket's team where it works of what is due, late, or snoozed until now.

import { z } from 'zod';

import { shorten } from '../../../contract/index.ts';
import { type ReminderKind, type Reminder, REMINDER_KINDS, remindersOf, type Target } from './rules.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { link } from '../../blocks/card.ts';
import { type Tx, transaction } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import { plan } from '../../store/posts.ts';
import { hasEnded } from '../../tickets/rules.ts';
import { copiesOf, locationOf } from '../../store/conversations.ts';
import { homesOf, planHome } from '../home/index.ts';
import { directKey } from '../../slack/ids.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { redrawCards } from '../cards/index.ts';
import { readTicket, type Ticket } from '../../tickets/find-ticket.ts';
import { namesOf, ticketUrl } from '../../tickets/ticket-facts.ts';
import { type Feature, workOf } from '../../feature.ts';
import {
  type BodyOf,
  CLASSES,
  type Done,
  type NewWork,
  type Work,
  workFor,
  workKind,
  type Write,
} from '../../work.ts';
import type { Listed } from '../../tickets/search.ts';
import { noticesSince } from '../../tickets/own-settings.ts';

const TITLE_SHOWN = 120;

const SAYS: Record<ReminderKind, string> = {
  snooze: ':alarm_clock: is back from its snooze',
  due: ':calendar: is due now',
  'response-soon': ':hourglass_flowing_sand: waits for its first answer, and its time is nearly up',
  'response-late': ':warning: has had no first answer in its time',
  'resolution-soon': ':hourglass_flowing_sand: is not done, and its time is nearly up',
  'resolution-late': ':warning: was not done in its time',
};

/** Returns one line for the team, without the title if it may not be shown. It mentions nobody. */
export function reminderLine(
  kind: ReminderKind,
  {
    code,
    url,
    title,
    assignee,
  }: { code: string; url: string; title: string | undefined; assignee?: string | undefined },
): string {
  const [mark = '', ...words] = SAYS[kind].split(' ');
  const about = title === undefined ? '' : ` “${escapeChat(shorten(title, TITLE_SHOWN))}”`;
  const who = assignee === undefined ? 'it is unassigned' : `${escapeChat(assignee)} has it`;
  return `${mark} *${link(url, code)}*${about} ${words.join(' ')}; ${who}.`;
}

/** A round of reminders: one sends what is due, one finds what no event reported. */
const REMIND = workKind('remind', CLASSES.reminder, z.object({ do: z.enum(['tell', 'scan']) }));
type Round = BodyOf<typeof REMIND>;

const EVERY_MS: Record<Round['do'], number> = { tell: 5_000, scan: 60 * 60_000 };
/** Maximum number of reminders sent at once. */
const AT_ONCE = 200;

function roundOf(what: Round['do'], delayMs: number): NewWork {
  return workFor(REMIND, what, { do: what }, { mergeKey: `remind:${what}`, delayMs });
}

/** Runs one round and plans the next. */
async function workRound(bridge: Bridge, { body }: Work<Round>): Promise<Done> {
  const write = await (body.do === 'tell' ? sendDue(bridge) : scanOpen(bridge));
  return {
    outcome: body.do,
    write: async (tx) => {
      await write?.(tx);
      tx.plan.add(roundOf(body.do, EVERY_MS[body.do]));
    },
  };
}

/** Returns a ticket's reminders; nothing before `since`. Throws ServiceError. */
export async function wantedReminders(
  { channels, teamHours }: Pick<Bridge, 'channels' | 'teamHours'>,
  ticket: Listed,
  since: string,
): Promise<Reminder[]> {
  const queue = ticket.queueId === null ? undefined : await channels.queue(ticket.queueId);
  // A silent queue notifies nobody (B28).
  if (queue?.settings?.silentMode) return [];
  const targets: Readonly<Record<string, Target | undefined>> = queue?.settings?.targets ?? {};
  const ended = ticket.archivedAt !== null || hasEnded(ticket.status.statusGroup.label);
  const target = targets[ticket.priority];
  const hours = queue && target ? await teamHours.of(queue) : undefined;
  const reminders = remindersOf({ ...ticket, ended, target, hours });
  return reminders.filter(({ at }) => at.toISOString() >= since);
}

const isSame = (a: { kind: string; at: Date }) => (b: Reminder) =>
  a.kind === b.kind && a.at.getTime() === b.at.getTime();

/** Stores the reminders; sent ones stay sent, and obsolete ones are deleted. */
export async function keepReminders(
  tx: Tx<BridgeTables>,
  ticketId: string,
  wanted: readonly Reminder[],
): Promise<void> {
  const known = await tx.selectFrom('reminder').selectAll().where('ticket_id', '=', ticketId).execute();
  for (const row of known)
    if (row.sent_at === null && !wanted.some(isSame(row)))
      await tx
        .deleteFrom('reminder')
        .where((where) => where.and({ ticket_id: ticketId, kind: row.kind, at: row.at }))
        .execute();
  if (wanted.length === 0) return;
  await tx
    .insertInto('reminder')
    .values(wanted.map(({ kind, at }) => ({ ticket_id: ticketId, kind, at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Plans lines for reminders that are due and still apply, each once: in the transaction that marks them sent. */
async function sendDue(bridge: Bridge): Promise<Write> {
  const now = bridge.clock.now();
  const due = await bridge.database.db
    .selectFrom('reminder')
    .selectAll()
    .where('sent_at', 'is', null)
    .where('at', '<=', now)
    .orderBy('at')
    .limit(AT_ONCE)
    .execute();
  const lines: (LinePlace & { text: string })[] = [];
  const awake: Write[] = [];
  for (const { ticket_id, kind: said, at } of due) {
    const ticket = await readTicket(bridge, ticket_id);
    const kind = REMINDER_KINDS.find((one) => one === said);
    if (!ticket || !kind || !(await wantedReminders(bridge, ticket, '')).some(isSame({ kind, at }))) continue;
    if (kind === 'snooze') awake.push(await showAwake(bridge, ticket));
    const place = await placeFor(bridge, ticket);
    if (place) lines.push({ ...place, text: await lineFor(bridge, ticket, kind) });
  }
  return async (tx) => {
    for (const { ticket_id, kind, at } of due)
      await tx
        .updateTable('reminder')
        .set({ sent_at: now })
        .where((where) => where.and({ ticket_id, kind, at }))
        .execute();
    for (const show of awake) await show(tx);
    for (const { place, text, thread } of lines)
      await plan(tx, bridge, place, [{ kind: 'bot-message', text, thread }]);
  };
}

/** The end of a snooze does not change the ticket: its cards and the Homes that show it are redrawn. */
async function showAwake(bridge: Bridge, ticket: Ticket): Promise<Write> {
  const homes = await homesOf(bridge, ticket.id, ticket);
  return async (tx) => {
    await redrawCards(tx, bridge, ticket.id);
    for (const home of homes) await planHome(tx, bridge, home);
  };
}

interface LinePlace {
  place: Parameters<typeof plan>[2];
  thread?: string;
}

/** Returns where the team reads it: the ticket's triage thread, else the queue's triage channel, else the admins'. */
async function placeFor(bridge: Bridge, ticket: Ticket): Promise<LinePlace | undefined> {
  const { team } = bridge.bot;
  const triage = (await copiesOf(bridge.database.db, ticket.id)).find(
    ({ role, parent_deleted }) => role === 'triage' && !parent_deleted,
  );
  if (triage) return { place: locationOf(triage), thread: triage.thread_ts };
  const channel = (await bridge.channels.triageOf(ticket.queue?.id)) ?? bridge.adminChannel;
  if (channel === undefined) return undefined;
  return { place: { conversationId: null, team, channel, orderingKey: directKey(team, channel) } };
}

async function lineFor(bridge: Bridge, ticket: Ticket, kind: ReminderKind): Promise<string> {
  const nameOf = await namesOf(bridge, [ticket.assigneeId]);
  return reminderLine(kind, {
    code: ticket.code,
    url: ticketUrl(bridge, ticket.code),
    // Who reads it there is not known for certain: of a ticket that is not for everyone only the reference is shown.
    title: (await bridge.channels.isForEveryone(ticket)) ? (ticket.title ?? undefined) : undefined,
    assignee: nameOf(ticket.assigneeId),
  });
}

/**
 * Updates the reminders of all open tickets from their records and the targets: after an upgrade, or changed targets.
 * Each separately, so it may be interrupted anywhere and the next scan repeats it.
 */
async function scanOpen(bridge: Bridge): Promise<undefined> {
  const since = await noticesSince(bridge);
  for (const workspaceId of await bridge.channels.workspaceIds())
    for await (const ticket of bridge.service.all('listTickets', {
      query: { workspaceId, openFilter: true },
    })) {
      const wanted = await wantedReminders(bridge, ticket, since);
      await transaction(bridge.database.db, (tx) => keepReminders(tx, ticket.id, wanted));
    }
}

export const reminders: Feature = {
  works: () => [workOf(REMIND, workRound)],
  begin: ({ engine }) =>
    engine.transaction(async (tx) => tx.plan.add(roundOf('tell', 0), roundOf('scan', 0))),
};
