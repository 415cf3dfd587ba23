import type { ParsedBody } from '../../contract/index.ts';
import type { ServiceTx } from '../handler.ts';
import type { TicketKey } from '../tickets/find.ts';

const CHAT_TIMESTAMP = /^(\d{1,11})\.(\d{1,6})$/;

/**
 * Returns the instant in a chat timestamp of the form `1700000000.000100`: when the message was sent (docs/api.md,
 * Ticket messages). Any other timestamp contains no time: null.
 */
export function sentAt(chatTimestamp: string | null | undefined): Date | null {
  const [, seconds, fraction = ''] = CHAT_TIMESTAMP.exec(chatTimestamp ?? '') ?? [];
  if (seconds === undefined) return null;
  return new Date(Number(seconds) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3)));
}

/**
 * When a message of chat stands on its ticket: when it was sent, but never later than `stamp`, which is now. Where a
 * clock behind the chat's has put messages earlier than they were sent, it stands between those said before and after
 * it in its channel, whichever arrives first.
 */
export async function chatTime(
  tx: ServiceTx,
  { workspaceId, id: ticketId }: TicketKey,
  {
    chatChannelId,
    chatTimestamp,
  }: Pick<ParsedBody<'createTicketMessage'>, 'chatChannelId' | 'chatTimestamp'>,
  stamp: Date,
): Promise<Date> {
  const sent = sentAt(chatTimestamp);
  if (sent === null || !chatTimestamp) return stamp;
  const latest = sent < stamp ? sent : stamp;
  if (!chatChannelId) return latest;
  const said = tx
    .selectFrom('chat_message as c')
    .innerJoin('ticket_message as m', (join) =>
      join
        .onRef('m.workspace_id', '=', 'c.workspace_id')
        .onRef('m.id', '=', 'c.ticket_message_id')
        .onRef('m.chat_channel_id', '=', 'c.channel_id'),
    )
    .select(['c.ts', 'm.created_at'])
    .where('c.workspace_id', '=', workspaceId)
    .where('c.channel_id', '=', chatChannelId)
    .where('m.ticket_id', '=', ticketId)
    .limit(1);
  const next = await said.where('c.ts', '>', chatTimestamp).orderBy('c.ts').executeTakeFirst();
  if (!next || latest < next.created_at) return latest;
  const nextSent = sentAt(next.ts);
  if (nextSent === null) return latest;
  const untilNext = nextSent.getTime() - sent.getTime();
  const previous = await said.where('c.ts', '<', chatTimestamp).orderBy('c.ts', 'desc').executeTakeFirst();
  const previousSent = sentAt(previous?.ts);
  if (!previous || previousSent === null) return new Date(next.created_at.getTime() - Math.max(untilNext, 1));
  // As far between the two as it was sent.
  const room = next.created_at.getTime() - previous.created_at.getTime();
  const share = untilNext / Math.max(nextSent.getTime() - previousSent.getTime(), 1);
  return new Date(next.created_at.getTime() - Math.ceil(room * share));
}
