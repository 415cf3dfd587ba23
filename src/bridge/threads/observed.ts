import type { Selectable } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { Bridge } from '../bridge.ts';
import { titleFromText, UNTITLED } from '../tickets/rules.ts';
import type { ChatMessage } from '../slack/chat-event.ts';
import type { ChannelQueue } from '../tickets/channels.ts';
import { messageText } from './message-text.ts';
import type { BridgeTx } from '../work.ts';

type Handle = Db<BridgeTables>;
interface Channel {
  team: string;
  channel: string;
}

/** A channel in observe mode (B56): decisions are recorded, and nothing is posted. */
type ObservedChannel = Selectable<BridgeTables['observed_channel']>;
type ObservedTicket = Selectable<BridgeTables['observed_ticket']>;

export async function observedChannel(
  db: Handle,
  { team, channel }: Channel,
): Promise<ObservedChannel | undefined> {
  return db
    .selectFrom('observed_channel')
    .selectAll()
    .where('team_id', '=', team)
    .where('channel_id', '=', channel)
    .executeTakeFirst();
}

export async function observedChannels(db: Handle, team: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('observed_channel')
    .select('channel_id')
    .where('team_id', '=', team)
    .execute();
  return new Set(rows.map(({ channel_id }) => channel_id));
}

/** Starts observing a channel for this queue. */
export async function beginObserving(db: Handle, row: ObservedChannel): Promise<void> {
  await db
    .insertInto('observed_channel')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'channel_id'])
        .doUpdateSet({ queue_id: row.queue_id, workspace_id: row.workspace_id }),
    )
    .execute();
}

/** Stops observing; the records are deleted. */
export async function endObserving(db: Handle, { team, channel }: Channel): Promise<void> {
  for (const table of ['observed_ticket', 'observed_channel'] as const)
    await db.deleteFrom(table).where('team_id', '=', team).where('channel_id', '=', channel).execute();
}

/** Returns what would have been opened in a channel, newest first; `before` is the timestamp of the last one shown. */
export async function observedTickets(
  db: Handle,
  { team, channel }: Channel,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<{ tickets: ObservedTicket[]; total: number }> {
  const all = db.selectFrom('observed_ticket').where('team_id', '=', team).where('channel_id', '=', channel);
  const page = before === undefined ? all : all.where('ts', '<', before);
  const tickets = await page.selectAll().orderBy('ts', 'desc').limit(limit).execute();
  const { total } = await all.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow();
  return { tickets, total: Number(total) };
}

/** The answer to users who ask for a ticket there. */
export const OBSERVED_NOTICE =
  'No ticket was opened: I only observe this channel for now. Ask where you asked before.';

/** Returns whether a channel is in observe mode: what would be opened or posted there is only recorded (B56). */
export function isObserved(channelQueue: ChannelQueue | undefined): boolean {
  return channelQueue?.observed === true;
}

/**
 * Records the ticket that would have been opened on a message of an observed channel (B56), once per thread (B2);
 * belongs into the final transaction.
 * @param reason what would have opened it, in a few words.
 */
export async function recordObservedTicket(
  bridge: Bridge,
  root: ChatMessage,
  askedBy: string,
  reason: string,
): Promise<(tx: BridgeTx) => Promise<void>> {
  const { words } = await messageText(bridge, root);
  return async (tx) => {
    await tx
      .insertInto('observed_ticket')
      .values({
        team_id: root.team,
        channel_id: root.channel,
        ts: root.root,
        title: titleFromText(words) || UNTITLED,
        reason,
        chat_user_id: root.user ?? askedBy,
        seen_at: bridge.clock.now(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  };
}
