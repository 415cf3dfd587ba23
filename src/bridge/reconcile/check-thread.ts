import type { Bridge } from '../bridge.ts';
import type { Envelope } from '../slack/envelope.ts';
import {
  type BotReaction,
  type StoredReaction,
  inBoth,
  reactionDifferences,
  type ReactionDifferences,
} from '../features/reactions/rules.ts';
import { planReactions } from '../features/reactions/forward.ts';
import { mirrorWork } from '../inbox/store.ts';
import { erasedAccounts } from '../people/erased.ts';
import type { Conversation } from '../store/conversations.ts';
import { justAfter, NO_TIME, eventKey, isMessageTs, isPlaceholderParent } from '../slack/ids.ts';
import { botReactions, findReaction, firstPart } from '../features/reactions/store.ts';
import {
  asReaction,
  type ListedMessage,
  asDeletion,
  readListed,
  storedKeys,
  storeFinds,
} from './as-event.ts';
import { type ListedPost, takeBackLost } from './lost-messages.ts';
import { readPostMetadata } from '../slack/post-metadata.ts';
import { type Reconciler, chatTime, knownSince, settledUntil } from './reconciler.ts';
import { differences } from './rules.ts';
import { isOurs } from '../threads/rules.ts';
import { conversationLane } from '../work.ts';

type KnownReactions = Awaited<ReturnType<typeof readKnownReactions>>;

/** Reads the records; before the thread is read, so that reactions in between do not look missed. */
async function readKnownReactions({ database: { db } }: Bridge, { id, team_id, channel_id }: Conversation) {
  const links = await db
    .selectFrom('message_link')
    .select('ts')
    .where('conversation_id', '=', id)
    .where('deleted', '=', false)
    .where('ts', 'is not', null)
    .$narrowType<{ ts: string }>()
    .execute();
  const heard: StoredReaction[] = await db
    .selectFrom('chat_reaction')
    .select(['ts', 'chat_user_id as user', 'name', 'present'])
    .where('team_id', '=', team_id)
    .where('channel_id', '=', channel_id)
    .where('ts', 'in', (from) =>
      from
        .selectFrom('message_link')
        .select('ts')
        .where('conversation_id', '=', id)
        .$narrowType<{ ts: string }>(),
    )
    .execute();
  const bot: (BotReaction & { message: string })[] = [];
  const under = new Set(
    (
      await db
        .selectFrom('outbox')
        .select('body')
        .where('conversation_id', '=', id)
        .where('kind', '=', 'reaction')
        .where('state', 'in', ['planned', 'sending'])
        .execute()
    ).map(({ body }) => JSON.stringify(body)),
  );
  for (const { ticket_message_id: message, emoji, wanted, refused } of await botReactions(db, id)) {
    const part = await firstPart(db, { conversationId: id, channel: channel_id }, message);
    const isUnderWay = under.has(JSON.stringify({ kind: 'reaction', message, emoji }));
    if (part) bot.push({ ts: part.ts, message, emoji, wanted, settled: refused || isUnderWay });
  }
  /** `linked` are the messages of a ticket. */
  return { heard, bot, linked: new Set(links.map(({ ts }) => ts)) };
}

/**
 * Compares a thread's reactions in Slack with the records (B50). An event may be under way: differences are checked
 * again after a while, and skipped while the conversation has other pending work.
 * @param missed messages found just now.
 * @returns the missed events, and how many of the bot's own emoji were repaired; `unsettled` if other work prevented
 * the comparison.
 */
async function checkReactions(
  { bridge, settle }: Reconciler,
  conversation: Conversation,
  before: KnownReactions,
  listed: readonly ListedMessage[],
  missed: readonly string[],
): Promise<{ finds: Envelope[]; repaired: number; unsettled: boolean }> {
  const { db } = bridge.database;
  const compare = ({ heard, bot, linked }: KnownReactions) =>
    reactionDifferences(
      listed.filter(({ ts }) => linked.has(ts) || missed.includes(ts)),
      heard,
      { userId: bridge.bot.userId, reactions: bot },
    );
  const first = compare(before);
  if (isNothing(first)) return { finds: [], repaired: 0, unsettled: false };
  await settle();
  const busy = await db
    .selectFrom('work')
    .select('id')
    .where('lane', '=', conversationLane(conversation.id))
    .where('done_at', 'is', null)
    .where('dead_at', 'is', null)
    .executeTakeFirst();
  if (busy) return { finds: [], repaired: 0, unsettled: true };
  const now = await readKnownReactions(bridge, conversation);
  const found = inBoth(first, compare(now));
  const finds: Envelope[] = [];
  for (const [some, added] of [
    [found.added, true],
    [found.removed, false],
  ] as const)
    for (const { ts, user, name } of some) {
      const place = { team: conversation.team_id, channel: conversation.channel_id, ts };
      const known = await findReaction(db, { place, user, name });
      const eventTs = justAfter(known?.event_ts ?? NO_TIME);
      finds.push(...asReaction(place, { user, name, added, eventTs }));
    }
  return { finds, repaired: await repairBot(bridge, conversation, found), unsettled: false };
}

/** Adds or removes the bot's own emoji if Slack lists something other than wanted. */
async function repairBot(
  bridge: Bridge,
  conversation: Conversation,
  { missing, surplus }: ReactionDifferences,
): Promise<number> {
  return bridge.engine.transaction(async (tx) => {
    const messageAt = async (ts: string) =>
      (
        await tx
          .selectFrom('message_link')
          .select('ticket_message_id')
          .where('conversation_id', '=', conversation.id)
          .where('ts', '=', ts)
          .executeTakeFirst()
      )?.ticket_message_id ?? '';
    let repaired = 0;
    for (const { ts, emoji } of missing) {
      const message = await messageAt(ts);
      const key = { conversation_id: conversation.id, ticket_message_id: message, emoji };
      const { numUpdatedRows } = await tx
        .updateTable('bot_reaction')
        .set({ shown: false })
        .where((where) => where.and({ ...key, wanted: true }))
        .executeTakeFirst();
      if (numUpdatedRows === 0n) continue;
      await planReactions(tx, bridge, conversation, message, [emoji]);
      repaired += 1;
    }
    for (const { ts, emoji, name } of surplus) {
      const message = await messageAt(ts);
      const key = { conversation_id: conversation.id, ticket_message_id: message, emoji };
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('bot_reaction')
        .values({ ...key, name, wanted: false, shown: true })
        .onConflict((conflict) =>
          conflict
            .columns(['conversation_id', 'ticket_message_id', 'emoji'])
            .doUpdateSet({ shown: true, refused: false })
            .where('bot_reaction.wanted', '=', false),
        )
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows === 0n) continue;
      await planReactions(tx, bridge, conversation, message, [emoji]);
      repaired += 1;
    }
    return repaired;
  });
}

function isNothing({ added, removed, missing, surplus }: ReactionDifferences): boolean {
  return [added, removed, missing, surplus].every((some) => some.length === 0);
}

/**
 * Compares one ticket's thread with its links, message by message, and stores what was missed: new messages, edits and
 * deletions, also of files, and reactions (B50). Copies of messages that the service lost are taken back. The
 * conversation's sync lists the service's changes. A thread with a message that is too young to be missed is compared
 * again once it is old enough. Throws ChatError or ServiceError.
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
  if (isPlaceholderParent(root)) {
    // Its first message is planned: there is no thread to compare yet.
    await recordCheck(reconciler, conversation, startedAt);
    return { found: 0, unsettled: false };
  }
  // Before the thread is read: messages linked meanwhile must not look deleted.
  const recorded = await db
    .selectFrom('message_link')
    .select(['ticket_message_id', 'ts', 'origin', 'version', 'deleted'])
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
  const isCopy = conversation.role !== 'request';
  const posts: ListedPost[] = [];
  for await (const raw of bridge.chat.thread(channel, root, { metadata: isCopy, before: beforeRead })) {
    const message = readListed(team, channel, conversation.direct, raw);
    if (message) listed.set(message.ts, message);
    const post =
      isCopy && message && isOurs(message.created.event.message, bridge.bot) && readPostMetadata(raw);
    if (post) posts.push(post);
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
  const { missed, young, edited, gone } = differences(
    [...listed.values()].map(({ ts, created: { event }, edited }) => ({
      ts,
      subtype: event.message.subtype,
      isOurs: isOurs(event.message, bridge.bot),
      key: event.key,
      edit:
        edited?.event.editTs === undefined ? undefined : { ts: edited.event.editTs, key: edited.event.key },
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
  const finds: Envelope[] = [
    ...missed.map((ts) => listed.get(ts)?.created),
    ...edited.map((ts) => listed.get(ts)?.edited),
  ].filter((envelope) => envelope !== undefined);
  finds.push(...(await deletedFiles(bridge, conversation, links, [...listed.values()])));
  if (!listed.has(root) && !stored.has(deletionKey(root))) gone.push(root);
  for (const ts of gone)
    if (await isGone(reconciler, conversation, ts)) finds.push(asDeletion({ team, channel, ts }, root));
  const isErased = await erasedAccounts(bridge);
  const shown = [...listed.values()].map((message) => ({
    ...message,
    reactions: message.reactions.map(({ name, users, count }) => {
      const known = users.filter((user) => !isErased({ team, ts: message.ts }, user));
      return { name, users: known, count: count - users.length + known.length };
    }),
  }));
  const emoji = await checkReactions(reconciler, conversation, reactions, shown, missed);
  const linked = new Set(recorded.map(({ ticket_message_id }) => ticket_message_id));
  const lost = await takeBackLost(bridge, conversation, posts, linked);
  const found = lost + emoji.repaired + (await storeFinds(bridge, [...finds, ...emoji.finds]));
  const unsettled = emoji.unsettled && !last;
  const again =
    young.length > 0 ? new Date(startedAt.getTime() + reconciler.settings.settleMs + 1) : undefined;
  if (!unsettled) await recordCheck(reconciler, conversation, startedAt, again);
  return { found, unsettled };
}

/**
 * Returns the changes by which messages lost files that are still on the ticket: the list shows a deleted file, but of
 * a message that was never edited nothing else.
 */
async function deletedFiles(
  { database }: Bridge,
  { id, ticket_id, description_ts }: Conversation,
  links: readonly { ts: string; ticket_message_id: string }[],
  listed: readonly ListedMessage[],
): Promise<Envelope[]> {
  const lost = listed
    .map((message) => {
      const { files } = message.created.event.message;
      const ids = files.filter(({ mode }) => mode === 'tombstone').map((file) => file.id);
      const target =
        message.ts === description_ts
          ? ticket_id
          : links.find(({ ts }) => ts === message.ts)?.ticket_message_id;
      return { message, ids, target };
    })
    .filter(({ ids }) => ids.length > 0);
  if (lost.length === 0) return [];
  const copies = await database.db
    .selectFrom('file_copy')
    .select(['target_id', 'file_id'])
    .where('conversation_id', '=', id)
    .where('wanted', '=', true)
    .where(
      'file_id',
      'in',
      lost.flatMap(({ ids }) => ids),
    )
    .execute();
  return lost.flatMap(({ message, ids, target }) => {
    const isCopied = copies.some(({ target_id, file_id }) => target_id === target && ids.includes(file_id));
    const change = isCopied ? message.lostFiles(ids) : undefined;
    return change ? [change] : [];
  });
}

/** @param again when to compare it once more: it has messages that were too young. */
async function recordCheck(
  { bridge }: Reconciler,
  { id, ticket_id }: Conversation,
  checkedAt: Date,
  again?: Date,
): Promise<void> {
  await bridge.engine.transaction(async (tx) => {
    await tx
      .updateTable('conversation')
      .set({ checked_at: checkedAt, check_again_at: again ?? null })
      .where('id', '=', id)
      .execute();
    if (ticket_id) tx.plan.add(mirrorWork(id, ticket_id));
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
