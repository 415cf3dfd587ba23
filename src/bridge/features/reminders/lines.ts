import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import { z } from 'zod';

import { shorten } from '../../../contract/index.ts';
import { link } from '../../blocks/card.ts';
import type { Bridge } from '../../bridge.ts';
import { ticketCheck } from '../../inbox/store.ts';
import { messageKind } from '../../outbox/post-kind.ts';
import { directKey } from '../../slack/ids.ts';
import { copiesOf, locationOf } from '../../store/conversations.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import { lineCall } from '../../threads/posts.ts';
import { readTicket, type Ticket } from '../../tickets/find-ticket.ts';
import { mayShow } from '../../tickets/permissions.ts';
import { userNames, ticketUrl } from '../../tickets/ticket-facts.ts';
import type { BridgeTx } from '../../work.ts';
import { recordShown } from '../shown/index.ts';
import type { ReminderKind } from './rules.ts';

const TITLE_SHOWN = 120;

const SAYS: Record<ReminderKind, string> = {
  snooze: ':alarm_clock: is back from its snooze',
  due: ':calendar: is due now',
  'all-away': ':information_source: arrived while everyone its queue assigns tickets to is away',
  'response-soon': ':hourglass_flowing_sand: is close to missing its first-reply target',
  'response-late': ':warning: has missed its first-reply target',
  'resolution-soon': ':hourglass_flowing_sand: is close to missing its resolution target',
  'resolution-late': ':warning: has missed its resolution target',
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
  const about = title === undefined ? '' : ` “${escapeMrkdwn(shorten(title, TITLE_SHOWN))}”`;
  const who = assignee === undefined ? 'it is unassigned' : `${escapeMrkdwn(assignee)} has it`;
  return `${mark} *${link(url, code)}*${about} ${words.join(' ')}; ${who}.`;
}

/** Where a line is posted. */
export interface LinePlace {
  place: Parameters<typeof planPosts>[2];
  thread?: string;
  /** Anybody may read it there: nothing is said of a ticket that not everyone may read. */
  isOpen?: boolean;
}

/** A line of a ticket, and its place. */
export interface Line extends LinePlace {
  ticket: string;
  text: string;
  /** Without the title. */
  untitled: string;
}

/**
 * Returns where the team reads it: the ticket's triage thread, else a triage channel of the queue, else the admins'. Of
 * a ticket that is not for everyone, a private triage channel first.
 */
export async function teamPlace(bridge: Bridge, ticket: Ticket): Promise<LinePlace | undefined> {
  for (const copy of await copiesOf(bridge.database.db, ticket.id))
    if (copy.role === 'triage' && !copy.parent_deleted && (await mayShow(bridge, ticket, copy)))
      return { place: locationOf(copy), thread: copy.thread_ts };
  const triages = await bridge.channels.triagesOf(ticket.queue?.id);
  const shows = async (channel: string) =>
    mayShow(bridge, ticket, { channel_id: channel, role: 'triage', direct: false, recipient_user_id: null });
  for (const channel of triages) if (await shows(channel)) return { place: placeIn(bridge, channel) };
  const channel = bridge.adminChannel ?? triages[0];
  return channel === undefined ? undefined : { place: placeIn(bridge, channel) };
}

export function placeIn({ bot: { team } }: Bridge, channel: string): LinePlace['place'] {
  return { conversationId: null, team, channel, orderingKey: directKey(team, channel) };
}

/** Returns a line of a ticket for a place. */
export async function lineIn(
  bridge: Bridge,
  ticket: Ticket,
  kind: ReminderKind,
  place: LinePlace,
): Promise<Line> {
  const nameOf = await userNames(bridge, [ticket.assigneeId]);
  const facts = {
    code: ticket.code,
    url: ticketUrl(bridge, ticket.code),
    assignee: nameOf(ticket.assigneeId),
  };
  return {
    ...place,
    ticket: ticket.id,
    text: reminderLine(kind, { ...facts, title: ticket.title ?? undefined }),
    untitled: reminderLine(kind, { ...facts, title: undefined }),
  };
}

export async function planLine(
  tx: BridgeTx,
  bridge: Bridge,
  { place, thread, ...line }: Line,
): Promise<void> {
  await planPosts(tx, bridge, place, [{ kind: featureKind('reminder'), ...line, thread }]);
}

/**
 * Posts a line. Who reads it there is not known for certain, so the title is shown only while everyone may read the
 * ticket, and taken back after that.
 */
export const reminderPost = messageKind(
  'reminder',
  'reply',
  z.object({
    ticket: z.string(),
    text: z.string(),
    untitled: z.string(),
    thread: z.string().optional(),
    isOpen: z.boolean().optional(),
  }),
  async (bridge, writer, row, { ticket: id, text, untitled, thread, isOpen }) => {
    const ticket = await readTicket(bridge, id);
    const isForAll = ticket !== undefined && (await bridge.channels.isForEveryone(ticket));
    // One that was begun is looked up and recorded; then it is taken back.
    if (row.state !== 'sending' && !isForAll && (!ticket || isOpen)) return undefined;
    const call = await lineCall(bridge, writer, row, { text: isForAll ? text : untitled, thread });
    const { team_id: team, channel_id: channel } = row;
    return {
      ...call,
      after: async (tx, ts, found) => {
        if (ts === undefined || !(isForAll || found)) return;
        await recordShown(tx, [id], { team, channel, ts });
        // It may have changed since it was read.
        tx.plan.add(ticketCheck(id));
      },
    };
  },
);
