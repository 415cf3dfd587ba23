import { GiveUp } from '../../platform/engine/index.ts';
import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { Bridge } from '../bridge.ts';
import { ChatError } from '../slack/errors.ts';
import { findPost } from '../outbox/send.ts';
import type { FirstPart, OutboxRow, Words as BeginWords } from '../store/posts.ts';
import type { ChatWriter, Post } from '../slack/writer.ts';
import { type BridgeTx, EVENT, MOVED, workFor } from '../work.ts';
import { type Conversation, conversationOfThread, redirectThread } from '../store/conversations.ts';
import { isPlaceholderParent } from '../slack/ids.ts';
import { headingBlock, section } from '../blocks/kit.ts';
import { planRest } from './first-post.ts';
import { quoteInChat } from '../text/to-chat.ts';
import { ticketLink } from '../tickets/ticket-facts.ts';

type Words = Omit<Post, 'channel' | 'thread'>;

/**
 * Posts into a conversation's thread. If its parent was deleted, Slack puts the post into the channel: it is deleted at
 * once, a new parent that names the ticket is posted and becomes the conversation's, and the post is repeated there
 * (B58). Any failure leaves the row started: its effects are looked up before it continues.
 */
export async function postInThread(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  conversation: Conversation,
  words: Words,
): Promise<string> {
  if (!conversation.parent_deleted) {
    const ts = await postOrRemove(writer, conversation, conversation.thread_ts, words);
    if (ts !== undefined) return ts;
  }
  return asUncertain(async () => {
    const root = await startNewThread(bridge, writer, row, conversation);
    const ts = await postOrRemove(writer, conversation, root, words);
    if (ts !== undefined) return ts;
    await setParentDeleted(bridge, { ...conversation, thread_ts: root });
    throw new ChatError('the new thread was deleted at once', { next: 'retry', certain: false });
  });
}

/** Posts the bot's own text; if the thread is gone it is dropped, and that is recorded. */
export async function postUnlessOrphaned(
  bridge: Bridge,
  writer: ChatWriter,
  conversation: Conversation,
  words: Words,
): Promise<string | undefined> {
  const ts = await postOrRemove(writer, conversation, conversation.thread_ts, words);
  if (ts === undefined) await setParentDeleted(bridge, conversation);
  return ts;
}

async function postOrRemove(
  writer: ChatWriter,
  { channel_id: channel }: Conversation,
  thread: string,
  words: Words,
): Promise<string | undefined> {
  const { ts, orphaned } = await writer.post({ ...words, channel, thread });
  if (!orphaned) return ts;
  await asUncertain(() => writer.remove(channel, ts));
  return undefined;
}

/** This row already has an effect in chat: a failure from here on is never without effect. */
async function asUncertain<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChatError) || error.next !== 'retry') throw error;
    const { method, code, retryAfterMs } = error;
    throw new ChatError(error.message, {
      next: 'retry',
      certain: false,
      ...(method === undefined ? {} : { method }),
      ...(code === undefined ? {} : { code }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      cause: error,
    });
  }
}

/**
 * Records that the parent that was tried is deleted. A card may learn of it after the replies started another thread.
 */
async function setParentDeleted({ database }: Bridge, { id, thread_ts }: Conversation): Promise<void> {
  await database.db
    .updateTable('conversation')
    .set({ parent_deleted: true })
    .where('id', '=', id)
    .where('thread_ts', '=', thread_ts)
    .execute();
}

/** Returns a new parent for the conversation, posted or found from an interrupted attempt. */
export async function startNewThread(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  conversation: Conversation,
  words?: BeginWords,
): Promise<string> {
  const { channel_id: channel, thread_ts: former } = conversation;
  const id = `${row.id}:${former}`;
  const found =
    row.state === 'sending'
      ? await findPost(bridge.chat, { channel, thread: undefined, id, since: row.planned_at })
      : undefined;
  const ticket = await bridge.service.readTicket({ params: { id: conversation.ticket_id ?? '' } });
  const name = ticketLink(bridge, ticket.code);
  const { text, blocks, more = [] } = words ?? rootOf(name, ticket, isPlaceholderParent(former));
  const as = words?.as ?? (await bridge.channels.botIdentity(channel));
  const root = found?.ts ?? (await writer.post({ channel, text, blocks, as, metadata: { id } })).ts;
  await moveParent(bridge, conversation, root, (tx) =>
    planRest(tx, bridge, { ...conversation, thread_ts: root }, more, words?.as),
  );
  bridge.log.info(
    { event: 'conversation.moved', conversation: conversation.id, from: former, to: root },
    'a conversation without a first message continues under a new one',
  );
  return root;
}

/**
 * Returns the first message of a thread without a user's message. In a new place it quotes the description, because
 * nobody there has read it: as text without mentions, in several posts if it is long (B11).
 */
function rootOf(
  name: string,
  { title, description }: { title: string | null; description: string | null },
  isNewPlace: boolean,
): { text: string; blocks?: unknown[]; more?: FirstPart[] } {
  const says = isNewPlace
    ? 'Its conversation is in this thread: replies here are on the ticket.'
    : 'Its first message was deleted. The conversation continues in this thread.';
  const text = `*${name}* ${escapeMrkdwn(title ?? '')}\n${says}`;
  const head = [section(`*${name}*  ${says}`), ...(title ? [headingBlock(title)] : [])];
  if (!isNewPlace) return { text, blocks: head };
  const [quoted, ...more] = description?.trim() ? quoteInChat(description) : [];
  if (!quoted) return { text, blocks: head };
  return { text, blocks: [...head, ...quoted.blocks], more };
}

/** Makes another message the conversation's parent. Events of that message and its replies may have arrived before. */
async function moveParent(
  bridge: Bridge,
  conversation: Conversation,
  root: string,
  alsoPlan: (tx: BridgeTx) => Promise<void>,
): Promise<void> {
  const { id, team_id, channel_id, thread_ts } = conversation;
  await bridge.engine.transaction(async (tx) => {
    // Created if missing: a concurrent event of the parent waits, and then finds this conversation.
    await conversationOfThread(tx, { team: team_id, channel: channel_id, root }, bridge);
    const early = await tx
      .selectFrom('conversation')
      .select(['id', 'ticket_id'])
      .where('team_id', '=', team_id)
      .where('channel_id', '=', channel_id)
      .where('thread_ts', '=', root)
      .forUpdate()
      .executeTakeFirst();
    if (early?.ticket_id) throw new GiveUp('the new root of this conversation became another ticket');
    const again = early
      ? await tx
          .selectFrom('inbox')
          .select('id')
          .where('conversation_id', '=', early.id)
          .where('done_at', 'is not', null)
          // What was emptied is too old to be worked again.
          .where('body', 'is not', null)
          .orderBy('received_at')
          .execute()
      : [];
    if (early) {
      await tx
        .updateTable('inbox')
        .set({ conversation_id: id })
        .where('conversation_id', '=', early.id)
        .execute();
      if (again.length > 0)
        await tx
          .updateTable('inbox')
          .set({ done_at: null, outcome: null })
          .where(
            'id',
            'in',
            again.map((row) => row.id),
          )
          .execute();
      await tx.deleteFrom('conversation').where('id', '=', early.id).execute();
    }
    const replaces = isPlaceholderParent(thread_ts) ? { replaces: thread_ts } : {};
    if (!isPlaceholderParent(thread_ts)) await redirectThread(tx, conversation, id);
    await tx
      .updateTable('conversation')
      .set({ thread_ts: root, parent_deleted: false })
      .where('id', '=', id)
      .execute();
    await tx.deleteFrom('card').where('conversation_id', '=', id).execute();
    await alsoPlan(tx);
    tx.plan.add(
      ...again.map((row) => workFor(EVENT, id, { inbox: row.id })),
      workFor(MOVED, id, { conversation: id, ...replaces }),
    );
    await bridge.hooks.threadStarted(tx, conversation);
  });
}
