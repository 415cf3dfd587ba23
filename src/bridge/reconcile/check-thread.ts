import { transaction } from '../../platform/database/open.ts';
import { differences } from './rules.ts';
import { isOurs } from '../threads/message-rules.ts';
import { enqueueMirror } from '../inbox/store.ts';
import type { Conversation } from '../threads/conversations.ts';
import { eventKey, isMessageTs, isNoRoot } from '../slack/ids.ts';
import { checkReactions, readKnownReactions } from './check-reactions.ts';
import { asDeletion, type AsEvent, type ListedMessage, readListed } from './as-event.ts';
import { chatTime, knownSince, type Reconciler, settledUntil } from './reconciler.ts';
import { storedKeys, storeFinds } from './store-finds.ts';

/**
 * Compares one ticket's thread with its links, message by message, and stores what was missed: new messages, edits and
 * deletions, reactions (B50). What the service changed is listed in the conversation's lane, from its cursor.
 * Throws ChatError.
 * @returns how many differences there were on the side of chat; `unsettled` where emoji could not be compared, for there
 * is other work in the thread: then it does not count as checked, unless this is the `last` try.
 */
export async function checkThread(
  reconciler: Reconciler,
  conversation: Conversation,
  last: boolean,
): Promise<{ found: number; unsettled: boolean }> {
  const { bridge, beforeRead } = reconciler;
  const { db } = bridge.database;
  const { team_id: team, channel_id: channel, thread_ts: root } = conversation;
  // The thread counts as checked from here on, not from the end: changes that follow the read are not in it.
  const startedAt = bridge.clock.now();
  if (isNoRoot(root)) {
    // Its first message is planned: there is no thread to compare with yet.
    await noteChecked(reconciler, conversation, startedAt);
    return { found: 0, unsettled: false };
  }
  // Before the thread is read: what is linked while it is being read must not look as if it were gone.
  const recorded = await db
    .selectFrom('message_link')
    .select(['ts', 'origin', 'version', 'deleted'])
    .where('conversation_id', '=', conversation.id)
    .where('channel_id', '=', channel)
    .where('ts', 'is not', null)
    .$narrowType<{ ts: string }>()
    .execute();
  // Messages of a direct conversation that went on with this ticket stand beside its thread, as roots of their own.
  const beside = await db
    .selectFrom('former_thread')
    .select('thread_ts')
    .where('conversation_id', '=', conversation.id)
    .where('channel_id', '=', channel)
    .execute();
  const links = recorded.filter(
    ({ ts }) => isMessageTs(ts) && !beside.some(({ thread_ts }) => thread_ts === ts),
  );
  const reactions = await readKnownReactions(bridge, conversation);
  const listed = new Map<string, ListedMessage>();
  for await (const raw of bridge.chat.thread(channel, root, { before: beforeRead })) {
    const message = readListed(team, channel, conversation.direct, raw);
    if (message) listed.set(message.ts, message);
  }
  const deletionKey = (ts: string) => eventKey.deletion({ team, channel, ts });
  const stored = await storedKeys(bridge, [
    ...[...listed.values()].flatMap(({ created, edited }) => [
      created.event.key,
      ...(edited ? [edited.event.key] : []),
    ]),
    ...links.filter(({ ts }) => !listed.has(ts)).map(({ ts }) => deletionKey(ts)),
    deletionKey(root),
  ]);
  const { missed, edited, gone } = differences(
    [...listed.values()].map(({ ts, created: { event }, edited: edit }) => ({
      ts,
      subtype: event.message.subtype,
      isOurs: isOurs(event.message, bridge.bot),
      key: event.key,
      edit: edit ? { ts: edit.event.editTs, key: edit.event.key } : undefined,
    })),
    {
      rootTs: root,
      describedTs: conversation.description_ts,
      describedByEdit: conversation.description_edit_ts,
      links,
      stored,
      since: chatTime(knownSince(reconciler)),
      until: chatTime(settledUntil(reconciler)),
      deletionKey,
    },
  );
  const finds: AsEvent[] = [];
  for (const ts of missed) finds.push(...eventOf(listed.get(ts)?.created));
  for (const ts of edited) finds.push(...eventOf(listed.get(ts)?.edited));
  if (!listed.has(root) && !stored.has(deletionKey(root))) gone.push(root);
  for (const ts of gone)
    if (await isGone(reconciler, conversation, ts)) finds.push(asDeletion({ team, channel, ts }, root));
  const emoji = await checkReactions(reconciler, conversation, reactions, [...listed.values()], missed);
  const found = emoji.repaired + (await storeFinds(bridge, [...finds, ...emoji.finds]));
  const unsettled = emoji.unsettled && !last;
  if (!unsettled) await noteChecked(reconciler, conversation, startedAt);
  return { found, unsettled };
}

async function noteChecked(
  { bridge }: Reconciler,
  { id, ticket_id }: Conversation,
  checkedAt: Date,
): Promise<void> {
  await transaction(bridge.database.db, async (tx) => {
    await tx.updateTable('conversation').set({ checked_at: checkedAt }).where('id', '=', id).execute();
    if (ticket_id) await enqueueMirror(tx, id, ticket_id);
  });
}

/** A deletion wipes words that cannot be had back: chat is asked for just this message before it is believed. */
async function isGone(
  { bridge, beforeRead }: Reconciler,
  { channel_id, thread_ts, team_id, direct }: Conversation,
  ts: string,
): Promise<boolean> {
  const options = { oldest: ts, latest: ts, before: beforeRead };
  for await (const raw of bridge.chat.thread(channel_id, thread_ts, options))
    if (readListed(team_id, channel_id, direct, raw)?.ts === ts) return false;
  // A reply of another thread that belongs to this conversation: asked for by itself it is listed alone.
  for await (const raw of bridge.chat.thread(channel_id, ts, { before: beforeRead }))
    if (readListed(team_id, channel_id, direct, raw)?.ts === ts) return false;
  return true;
}

function eventOf<Event>(event: Event | undefined): Event[] {
  return event ? [event] : [];
}
