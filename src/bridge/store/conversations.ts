import { type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';

import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/open.ts';
import type { NewId } from '../../platform/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { isPlaceholderParent, placeholderParent } from '../slack/ids.ts';
import { type BridgeTx, CLASSES, conversationLane, EVENT } from '../work.ts';

export type Conversation = Selectable<BridgeTables['conversation']>;
/** The role of a thread for its ticket. */
export type ConversationRole = Conversation['role'];
type Handle = Db<BridgeTables>;

/** Returns the thread's conversation, created if new; two concurrent callers get the same one. */
export async function conversationOfThread(
  db: Handle,
  thread: { team: string; channel: string; root: string; direct?: boolean },
  { newId, clock }: { newId: NewId; clock: Clock },
): Promise<Conversation> {
  const found = await findByThread(db, thread);
  if (found) return found;
  await db
    .insertInto('conversation')
    .values({
      id: newId('cnv'),
      team_id: thread.team,
      channel_id: thread.channel,
      thread_ts: thread.root,
      // Ids of direct messages of two users start with D; for several, the message says so.
      direct: thread.direct ?? thread.channel.startsWith('D'),
      parent_deleted: isPlaceholderParent(thread.root),
      created_at: clock.now(),
    })
    .onConflict((conflict) => conflict.columns(['team_id', 'channel_id', 'thread_ts']).doNothing())
    .execute();
  const made = await findByThread(db, thread);
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
    .where('thread_ts', '=', root)
    .executeTakeFirst();
  // Late events of a lost thread belong to the one that replaced it (B58).
  return (
    found ??
    (await db
      .selectFrom('former_thread')
      .innerJoin('conversation', 'conversation.id', 'former_thread.conversation_id')
      .selectAll('conversation')
      .where('former_thread.team_id', '=', team)
      .where('former_thread.channel_id', '=', channel)
      .where('former_thread.thread_ts', '=', root)
      .executeTakeFirst())
  );
}

/** The service's types of threads that are copies of a ticket's card. */
export const COPY_TYPE = { triage: 'TRIAGE', direct: 'PERSONAL_DM' } as const;

/** Returns the role of a thread in a ticket's record. */
export function roleOf(type: string | null): ConversationRole {
  if (type === COPY_TYPE.triage) return 'triage';
  return type === COPY_TYPE.direct ? 'direct' : 'request';
}

/**
 * Returns the thread of a ticket's record that is shared with its requester: the newest, because a lost one is replaced
 * (B58).
 */
export function requesterThread<Thread extends { type: string | null; createdAt: string }>({
  chatThreads,
}: {
  chatThreads: readonly Thread[];
}): Thread | undefined {
  const [newest] = chatThreads
    .filter(({ type }) => roleOf(type) === 'request')
    .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
  return newest;
}

/** Messages within this many seconds after a ticket's last message belong to it (B8). */
const GOES_ON_SECONDS = 600;

/**
 * Returns the conversation of a direct message channel that a message at `ts` continues: the one with the latest
 * message, if that is recent by Slack's time (B8).
 */
export async function lastInDirect(
  db: Handle,
  { team, channel, ts }: { team: string; channel: string; ts: string },
): Promise<Conversation | undefined> {
  // Reads only recent messages, by the indexes on channel and timestamp: a user may have thousands of tickets.
  const since = (Number(ts) - GOES_ON_SECONDS).toFixed(6);
  const here = { team_id: team, channel_id: channel };
  return db
    .selectFrom('conversation')
    .innerJoin(
      (said) =>
        said
          .selectFrom('message_link')
          .select(['conversation_id', 'ts'])
          .where((where) => where.and(here))
          .where('ts', '>=', since)
          .unionAll(
            said
              .selectFrom('conversation')
              .select(['id as conversation_id', 'thread_ts as ts'])
              .where((where) => where.and(here))
              .where('thread_ts', '>=', since)
              // Without a first message it is not a timestamp.
              .where('thread_ts', '<', 'a'),
          )
          .as('said'),
      (join) => join.onRef('said.conversation_id', '=', 'conversation.id'),
    )
    .selectAll('conversation')
    .where('conversation.team_id', '=', team)
    .where('conversation.channel_id', '=', channel)
    .where('ticket_id', 'is not', null)
    .where('role', '=', 'request')
    .orderBy('said.ts', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Merges a thread into another conversation: its events, past and future, are handled there (B8, B58). */
export async function joinThread(
  tx: BridgeTx,
  { id, team_id, channel_id, thread_ts }: Conversation,
  into: Pick<Conversation, 'id'>,
): Promise<void> {
  // An event being stored for it now waits, and is then rejected: Slack resends it.
  await tx.selectFrom('conversation').select('id').where('id', '=', id).forUpdate().execute();
  await tx.updateTable('inbox').set({ conversation_id: into.id }).where('conversation_id', '=', id).execute();
  await tx.deleteFrom('conversation').where('id', '=', id).execute();
  await redirectThread(tx, { team_id, channel_id, thread_ts }, into.id);
  // What waits keeps its order, before what comes from now on.
  tx.plan.move({
    from: conversationLane(id),
    to: conversationLane(into.id),
    class: CLASSES.conversation,
  });
}

/** Future events of a thread belong to another conversation. */
export async function redirectThread(
  tx: BridgeTx,
  { team_id, channel_id, thread_ts }: Pick<Conversation, 'team_id' | 'channel_id' | 'thread_ts'>,
  conversationId: string,
): Promise<void> {
  await tx
    .insertInto('former_thread')
    .values({ team_id, channel_id, thread_ts, conversation_id: conversationId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Moves a conversation to another channel, where its thread has no message yet (B8, B11). */
export async function relocateThread(
  tx: BridgeTx,
  conversation: Conversation,
  { channel, privateChannel }: { channel: string; privateChannel: boolean },
): Promise<void> {
  const { id } = conversation;
  await redirectThread(tx, conversation, id);
  await tx
    .updateTable('conversation')
    .set({
      channel_id: channel,
      thread_ts: placeholderParent(id),
      parent_deleted: true,
      direct: true,
      relocating: false,
      private_channel: privateChannel,
      applied_until: null,
    })
    .where('id', '=', id)
    .execute();
  await tx.deleteFrom('card').where('conversation_id', '=', id).execute();
}

/** Returns the conversation of a ticket with its own channel (B11). */
export async function findByPrivateChannel(
  db: Handle,
  { team, channel }: { team: string; channel: string },
): Promise<Conversation | undefined> {
  return db
    .selectFrom('conversation')
    .selectAll()
    .where('team_id', '=', team)
    .where('channel_id', '=', channel)
    .where('private_channel', '=', true)
    .executeTakeFirst();
}

/** Undoes `joinThread`: the thread becomes a separate conversation again. */
export async function leaveThread(
  tx: BridgeTx,
  { team, channel, root }: { team: string; channel: string; root: string },
): Promise<void> {
  await tx
    .deleteFrom('former_thread')
    .where('team_id', '=', team)
    .where('channel_id', '=', channel)
    .where('thread_ts', '=', root)
    .execute();
}

/** Returns whether an earlier message of the same channel, of a thread without a ticket, is still waiting. */
export async function waitsBefore(
  db: Handle,
  { id, team_id, channel_id, thread_ts }: Conversation,
): Promise<boolean> {
  const row = await db
    .selectFrom('inbox')
    .innerJoin('conversation', 'conversation.id', 'inbox.conversation_id')
    .select('inbox.id')
    .where('conversation.team_id', '=', team_id)
    .where('conversation.channel_id', '=', channel_id)
    .where('conversation.id', '<>', id)
    .where('conversation.thread_ts', '<', thread_ts)
    .where('conversation.ticket_id', 'is', null)
    .where('inbox.kind', '=', 'message')
    .where('inbox.done_at', 'is', null)
    .where((where) =>
      where.exists(
        where
          .selectFrom('work')
          .select('work.id')
          .where('work.done_at', 'is', null)
          .where('work.dead_at', 'is', null)
          .where('work.kind', '=', EVENT.name)
          .where(sql`work.body ->> 'inbox'`, '=', sql.ref('inbox.id')),
      ),
    )
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the conversation with a ticket's requester. */
export async function findByTicket(db: Handle, ticketId: string): Promise<Conversation | undefined> {
  return db
    .selectFrom('conversation')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .where('role', '=', 'request')
    .executeTakeFirst();
}

/** A conversation with what features have read with it, by name. */
export type KnownConversation = Conversation & { known: Readonly<Record<string, unknown>> };

/**
 * Returns the conversation with a ticket's requester and the other threads below its cards, with what features read
 * with them.
 */
export async function placesOfTicket(
  db: Handle,
  ticketId: string,
  readWith: Readonly<Record<string, RawBuilder<unknown>>>,
): Promise<{ request: KnownConversation | undefined; copies: KnownConversation[] }> {
  const known = Object.entries(readWith).flatMap(([name, expression]) => [sql.lit(name), expression]);
  const { rows } = await sql<KnownConversation>`
    select conversation.*, json_build_object(${sql.join(known)}) as known
    from conversation where ticket_id = ${ticketId} order by created_at`.execute(db);
  const isRequest = ({ role }: Conversation) => role === 'request';
  return { request: rows.find(isRequest), copies: rows.filter((one) => !isRequest(one)) };
}

/** Returns the other threads below a card of a ticket: those of its team (B26), and those in direct messages (B27). */
export async function copiesOf(db: Handle, ticketId: string): Promise<Conversation[]> {
  return db
    .selectFrom('conversation')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .where('role', '<>', 'request')
    .orderBy('created_at')
    .execute();
}

/**
 * Makes a thread a copy of a ticket's card; its earlier messages are handled again: the caller adds work for the
 * finished ones that it returns, and those being handled see the ticket when they finish (`EventContext.finish`).
 * @param copy.party the service's user whose direct messages contain it.
 */
export async function bindCopy(
  tx: BridgeTx,
  { id }: Pick<Conversation, 'id'>,
  ticketId: string,
  { role, party }: { role: 'triage' | 'direct'; party: string | undefined },
): Promise<{ again: string[] }> {
  await tx
    .updateTable('conversation')
    .set({ ticket_id: ticketId, role, recipient_user_id: party ?? null })
    .where('id', '=', id)
    .execute();
  const early = await tx
    .updateTable('inbox')
    .set({ done_at: null, outcome: null })
    .where('conversation_id', '=', id)
    .where('done_at', 'is not', null)
    // What was emptied is too old to be worked again.
    .where('body', 'is not', null)
    .returning('id')
    .execute();
  return { again: early.map((row) => row.id).sort() };
}

/** The card of a copy was deleted: the thread no longer belongs to its ticket. */
export async function unbindCopy(tx: BridgeTx, id: string): Promise<void> {
  await tx.deleteFrom('card').where('conversation_id', '=', id).execute();
  await tx
    .updateTable('conversation')
    .set({ ticket_id: null, role: 'request', recipient_user_id: null })
    .where('id', '=', id)
    .where('role', '<>', 'request')
    .execute();
}

/** Makes a thread the conversation of a ticket; an existing card in it stays the card (B24). */
export async function bindTicket(
  tx: BridgeTx,
  { id, channel_id, thread_ts }: Conversation,
  ticket: {
    id: string;
    chatThreads: readonly { channelId: string; messageTs: string; mirrorTs: string | null }[];
  },
  values: Pick<
    Updateable<BridgeTables['conversation']>,
    | 'description_ts'
    | 'title'
    | 'description_edit_ts'
    | 'active_at'
    | 'status_wanted'
    | 'status_shown'
    | 'status_ts'
    | 'announced'
  >,
): Promise<void> {
  await tx
    .updateTable('conversation')
    .set({ ...values, ticket_id: ticket.id, prompted_user_id: null })
    .where('id', '=', id)
    .execute();
  const thread = ticket.chatThreads.find(
    (one) => one.channelId === channel_id && one.messageTs === thread_ts,
  );
  if (thread?.mirrorTs) await adoptCard(tx, { id, channel_id }, thread.mirrorTs);
}

/**
 * Records an existing message as the conversation's card, unless there already is one.
 * @param card the ticket's `updatedAt` that it shows, null if unknown, and the similar tickets that it names.
 */
export async function adoptCard(
  tx: BridgeTx,
  { id, channel_id }: Pick<Conversation, 'id' | 'channel_id'>,
  ts: string,
  card: { shown: string | null; names?: string | null } = { shown: null },
): Promise<void> {
  await tx
    .insertInto('card')
    .values({ conversation_id: id, channel_id, ts, ...card })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns the conversation of an event: as read with the event, if it was. */
export async function conversationOf(
  db: Handle,
  ctx: { conversationId: string | null; conversation?: Conversation | undefined },
): Promise<Conversation> {
  return (
    ctx.conversation ??
    (await db
      .selectFrom('conversation')
      .selectAll()
      .where('id', '=', ctx.conversationId)
      .executeTakeFirstOrThrow())
  );
}

export async function conversationOfId(db: Handle, id: string): Promise<Conversation | undefined> {
  return db.selectFrom('conversation').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns where the bridge posts into a conversation. */
export function locationOf(conversation: Pick<Conversation, 'id' | 'team_id' | 'channel_id'>): {
  conversationId: string;
  team: string;
  channel: string;
} {
  return { conversationId: conversation.id, team: conversation.team_id, channel: conversation.channel_id };
}

/** Returns the conversation of a chat message: a parent, a user's reply or one of our posts. */
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

/** Returns the conversation of a row: as read with it, if it was. */
export async function conversationOfRow(
  { database }: { database: { db: Handle } },
  row: { conversation_id: string | null },
): Promise<Conversation | undefined> {
  return row.conversation_id === null ? undefined : conversationOfId(database.db, row.conversation_id);
}
