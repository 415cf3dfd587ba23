import type { ParsedBody } from '../../contract/index.ts';
import type { ServiceTx } from '../handler.ts';
import type { TicketKey } from '../tickets/find.ts';

const CHAT_TIMESTAMP = /^(\d{1,11})\.(\d{1,6})$/;

/**
 * Returns the instant in a chat timestamp of the form `1700000000.000100`: when the message was sent (docs/api.md,
 * Ticket messages). Any other timestamp contains no time: null.
 */
function sentAt(chatTimestamp: string | null | undefined): Date | null {
  const [, seconds, fraction = ''] = CHAT_TIMESTAMP.exec(chatTimestamp ?? '') ?? [];
  if (seconds === undefined) return null;
  return new Date(Number(seconds) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3)));
}

/**
 * When a message of chat stands on its ticket: when it was sent, but never later than `stamp`, which is now. Where a
 * clock behind the chat's has put messages earlier than they were sent, it stands between those sent before and after
 * it in its channel, whichever arrives first.
 */
export async function chatTime(
  tx: ServiceTx,
  ticket: TicketKey,
  {
    chatChannelId,
    chatTimestamp,
  }: Pick<ParsedBody<'createTicketMessage'>, 'chatChannelId' | 'chatTimestamp'>,
  stamp: Date,
): Promise<Date> {
  const sent = sentAt(chatTimestamp);
  if (sent === null || !chatTimestamp) return stamp;
  const wanted = sent < stamp ? sent : stamp;
  if (!chatChannelId) return wanted;
  const newest = await newestIn(tx, ticket, chatChannelId);
  // As almost always. To find the next one takes all messages of the ticket.
  if (!newest || newest.ts < chatTimestamp) return wanted;
  const said = messagesIn(tx, ticket, chatChannelId);
  const next = toPlace(
    await said.where('c.ts', '>', chatTimestamp).orderBy('c.ts').limit(1).executeTakeFirst(),
  );
  if (!next || wanted < next.stands) return wanted;
  const previous = toPlace(
    await said.where('c.ts', '<', chatTimestamp).orderBy('c.ts', 'desc').limit(1).executeTakeFirst(),
  );
  return timeBetween(previous, next, sent);
}

/** Returns the copy in a channel of the newest message of a ticket that was said there. */
function newestIn(
  tx: ServiceTx,
  { workspaceId, id }: TicketKey,
  channelId: string,
): Promise<{ ts: string } | undefined> {
  return (
    tx
      // Limited by itself, so that no plan begins with all messages of the channel.
      .selectFrom((from) =>
        from
          .selectFrom('ticket_message')
          .select(['workspace_id', 'id'])
          .where('workspace_id', '=', workspaceId)
          .where('ticket_id', '=', id)
          .where('chat_channel_id', '=', channelId)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(1)
          .as('m'),
      )
      .innerJoin('chat_message as c', (join) =>
        join
          .onRef('c.workspace_id', '=', 'm.workspace_id')
          .onRef('c.ticket_message_id', '=', 'm.id')
          .on('c.channel_id', '=', channelId),
      )
      .select('c.ts')
      .executeTakeFirst()
  );
}

/** The messages of a ticket that were said in a channel: not what was posted there for someone. */
function messagesIn(tx: ServiceTx, { workspaceId, id }: TicketKey, channelId: string) {
  return tx
    .selectFrom('chat_message as c')
    .innerJoin('ticket_message as m', (join) =>
      join
        .onRef('m.workspace_id', '=', 'c.workspace_id')
        .onRef('m.id', '=', 'c.ticket_message_id')
        .onRef('m.chat_channel_id', '=', 'c.channel_id'),
    )
    .select(['c.ts', 'm.created_at'])
    .where('c.workspace_id', '=', workspaceId)
    .where('c.channel_id', '=', channelId)
    .where('m.ticket_id', '=', id);
}

/** When a message was sent, and when it stands on its ticket. */
interface Place {
  sent: Date;
  stands: Date;
}

function toPlace(row: { ts: string; created_at: Date } | undefined): Place | undefined {
  const sent = sentAt(row?.ts);
  return row && sent !== null ? { sent, stands: row.created_at } : undefined;
}

/**
 * Returns when a message stands that was sent between two others: between their places as far as it was sent between
 * them, or without a previous one as long before the next one as it was sent.
 */
function timeBetween(previous: Place | undefined, next: Place, sent: Date): Date {
  const untilNext = Math.max(next.sent.getTime() - sent.getTime(), 1);
  if (!previous) return new Date(next.stands.getTime() - untilNext);
  const share = untilNext / Math.max(next.sent.getTime() - previous.sent.getTime(), untilNext);
  const room = next.stands.getTime() - previous.stands.getTime();
  return new Date(next.stands.getTime() - Math.ceil(room * share));
}
