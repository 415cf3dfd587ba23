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
 * deletions, reactions (B50). The conversation's sync lists the service's changes. Throws ChatError.
 * @returns the number of differences in Slack; `unsettled` if reactions could not be compared because of other pending
 * work: then it does not count as checked, unless this is the `last` attempt.
 */
export async function checkThread(
  reconciler: Reconciler,
  conversation: Conversation,
  last: boolean,
): Promise<{ found: number; unsettled: boolean }> {
  const { bridge, beforeRead } = reconciler;
  const { db } = bridge.database;
  const { team_id: team, channel_id: channel, thread_ts: root } = conversation;
  // The thread counts as checked from here on, not from the end: later changes are not in it.
  const startedAt = bridge.clock.now();
  if (isNoRoot(root)) {
    // Its first message is planned: there is no thread to compare yet.
    await noteChecked(reconciler, conversation, startedAt);
    return { found: 0, unsettled: false };
  }
  // Before the thread is read: messages linked meanwhile must not look deleted.
  const recorded = await db
    .selectFrom('message_link')
    .select(['ts', 'origin', 'version', 'deleted'])
    .where('conversation_id', '=', conversation.id)
    .where('channel_id', '=', channel)
    .where('ts', 'is not', null)
    .$narrowType<{ ts: string }>()
    .execute();
  // Direct messages that continued this ticket are outside its thread, at the top level.
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

/** A deletion cannot be undone, so it is confirmed by reading just this message from Slack. */
async function isGone(
  { bridge, beforeRead }: Reconciler,
  { channel_id, thread_ts, team_id, direct }: Conversation,
  ts: string,
): Promise<boolean> {
  const options = { oldest: ts, latest: ts, before: beforeRead };
  for await (const raw of bridge.chat.thread(channel_id, thread_ts, options))
    if (readListed(team_id, channel_id, direct, raw)?.ts === ts) return false;
  // A reply of another thread of this conversation: read by itself, it is listed alone.
  for await (const raw of bridge.chat.thread(channel_id, ts, { before: beforeRead }))
    if (readListed(team_id, channel_id, direct, raw)?.ts === ts) return false;
  return true;
}

function eventOf<Event>(event: Event | undefined): Event[] {
  return event ? [event] : [];
}
