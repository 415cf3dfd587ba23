import type { Selectable, Updateable } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/database/open.ts';
import type { NewId } from '../../platform/ids.ts';
import type { BridgeTables, ConversationTable } from '../schema/tables.ts';

export type Conversation = Selectable<ConversationTable>;
type Handle = Db<BridgeTables>;

/** The thread's conversation, made when it is new; two callers at the same moment get the same one. */
export async function conversationOfThread(
  tx: Tx<BridgeTables>,
  thread: { team: string; channel: string; root: string; direct?: boolean },
  { newId, clock }: { newId: NewId; clock: Clock },
): Promise<Conversation> {
  const found = await findByThread(tx, thread);
  if (found) return found;
  await tx
    .insertInto('conversation')
    .values({
      id: newId('cnv'),
      team_id: thread.team,
      channel_id: thread.channel,
      root_ts: thread.root,
      // Ids of direct conversations of two begin with D; those of several are told by the message.
      direct: thread.direct ?? thread.channel.startsWith('D'),
      created_at: clock.now(),
    })
    .onConflict((conflict) => conflict.columns(['team_id', 'channel_id', 'root_ts']).doNothing())
    .execute();
  const made = await findByThread(tx, thread);
  if (!made) throw new Error('a conversation that was just made is gone');
  return made;
}

export async function findByThread(
  db: Handle,
  { team, channel, root }: { team: string; channel: string; root: string },
): Promise<Conversation | undefined> {
  const found = await db
    .selectFrom('conversation')
    .selectAll()
    .where('team_id', '=', team)
    .where('channel_id', '=', channel)
    .where('root_ts', '=', root)
    .executeTakeFirst();
  // What is told late of a thread that was lost belongs to the one that took its place (B58).
  return (
    found ??
    (await db
      .selectFrom('former_root')
      .innerJoin('conversation', 'conversation.id', 'former_root.conversation_id')
      .selectAll('conversation')
      .where('former_root.team_id', '=', team)
      .where('former_root.channel_id', '=', channel)
      .where('former_root.root_ts', '=', root)
      .executeTakeFirst())
  );
}

/** The thread of a ticket's record in which its requester is talked to: the newest, for a lost one is replaced (B58). */
export function talkThread<Thread extends { type: string | null; createdAt: string }>({
  chatThreads,
}: {
  chatThreads: readonly Thread[];
}): Thread | undefined {
  const [newest] = chatThreads
    .filter(({ type }) => type !== 'TRIAGE')
    .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
  return newest;
}

export async function findByTicket(db: Handle, ticketId: string): Promise<Conversation | undefined> {
  return db.selectFrom('conversation').selectAll().where('ticket_id', '=', ticketId).executeTakeFirst();
}

/** Makes a thread the conversation of a ticket; a card of it that stands already stays the card (B24). */
export async function bindTicket(
  tx: Tx<BridgeTables>,
  { id, channel_id, root_ts }: Conversation,
  ticket: {
    id: string;
    chatThreads: readonly { channelId: string; messageTs: string; mirrorTs: string | null }[];
  },
  values: Pick<Updateable<ConversationTable>, 'description_ts' | 'title' | 'described_by_edit' | 'active_at'>,
): Promise<void> {
  await tx
    .updateTable('conversation')
    .set({ ...values, ticket_id: ticket.id, asked_user_id: null })
    .where('id', '=', id)
    .execute();
  const thread = ticket.chatThreads.find((one) => one.channelId === channel_id && one.messageTs === root_ts);
  if (thread?.mirrorTs) await adoptCard(tx, { id, channel_id }, thread.mirrorTs);
}

/** Records a message that stands already as the conversation's card; one that is recorded stays it. */
export async function adoptCard(
  tx: Tx<BridgeTables>,
  { id, channel_id }: Pick<Conversation, 'id' | 'channel_id'>,
  ts: string,
): Promise<void> {
  await tx
    .insertInto('card')
    .values({ conversation_id: id, channel_id, ts })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The conversation that a turn was stored for. */
export async function conversationOf(
  db: Handle,
  turn: { conversationId: string | null },
): Promise<Conversation> {
  return db
    .selectFrom('conversation')
    .selectAll()
    .where('id', '=', turn.conversationId)
    .executeTakeFirstOrThrow();
}

/** Where what the bridge writes into a conversation goes. */
export function placeOf(conversation: Conversation): {
  conversationId: string;
  team: string;
  channel: string;
} {
  return { conversationId: conversation.id, team: conversation.team_id, channel: conversation.channel_id };
}

/** The conversation that a message of chat belongs to, whether it is the root, a person's reply or one of our posts. */
export async function findByMessage(
  db: Handle,
  { team, channel, ts }: { team: string; channel: string; ts: string },
): Promise<Conversation | undefined> {
  return (
    (await findByThread(db, { team, channel, root: ts })) ??
    (await db
      .selectFrom('message_link')
      .innerJoin('conversation', 'conversation.id', 'message_link.conversation_id')
      .selectAll('conversation')
      .where('message_link.team_id', '=', team)
      .where('message_link.channel_id', '=', channel)
      .where('message_link.ts', '=', ts)
      .executeTakeFirst())
  );
}
