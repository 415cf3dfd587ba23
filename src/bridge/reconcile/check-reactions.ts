import { transaction } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import {
  type BotReaction,
  type HeardReaction,
  inBoth,
  reactionDifferences,
  type ReactionDifferences,
} from '../features/reactions/rules.ts';
import { planReactions } from '../features/reactions/mirror-reactions.ts';
import { CONVERSATION_QUEUE } from '../inbox/store.ts';
import type { Conversation } from '../threads/conversations.ts';
import { justAfter, NO_TIME } from '../slack/ids.ts';
import { botReactions, findReaction, firstPart } from '../features/reactions/store.ts';
import { asReaction, type AsEvent, type ListedMessage } from './as-event.ts';
import type { Reconciler } from './reconciler.ts';

/** The bridge's records of the reactions in a thread. */
interface KnownReactions {
  heard: HeardReaction[];
  bot: (BotReaction & { message: string })[];
  /** Messages of a ticket. */
  linked: ReadonlySet<string>;
}

/** Reads the records; before the thread is read, so that reactions in between do not look missed. */
export async function readKnownReactions(
  { database: { db } }: Bridge,
  { id, team_id, channel_id }: Conversation,
): Promise<KnownReactions> {
  const links = await db
    .selectFrom('message_link')
    .select('ts')
    .where('conversation_id', '=', id)
    .where('deleted', '=', false)
    .where('ts', 'is not', null)
    .$narrowType<{ ts: string }>()
    .execute();
  const heard = await db
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
  const bot: KnownReactions['bot'] = [];
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
  return { heard, bot, linked: new Set(links.map(({ ts }) => ts)) };
}

/**
 * Compares a thread's reactions in Slack with the records (B50). An event may be under way: differences are checked
 * again after a while, and skipped while the conversation has other pending work.
 * @param missed messages found just now.
 * @returns the missed events, and how many of the bot's own emoji were repaired; `unsettled` if other work prevented
 * the comparison.
 */
export async function checkReactions(
  { bridge, settle }: Reconciler,
  conversation: Conversation,
  before: KnownReactions,
  listed: readonly ListedMessage[],
  missed: readonly string[],
): Promise<{ finds: AsEvent[]; repaired: number; unsettled: boolean }> {
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
    .selectFrom('job')
    .select('id')
    .where('queue', '=', CONVERSATION_QUEUE)
    .where('ordering_key', '=', conversation.id)
    .where('state', '<>', 'dead')
    .executeTakeFirst();
  if (busy) return { finds: [], repaired: 0, unsettled: true };
  const now = await readKnownReactions(bridge, conversation);
  const found = inBoth(first, compare(now));
  const finds: AsEvent[] = [];
  for (const [some, added] of [
    [found.added, true],
    [found.removed, false],
  ] as const)
    for (const { ts, user, name } of some) {
      const place = { team: conversation.team_id, channel: conversation.channel_id, ts };
      const known = await findReaction(db, { place, user, name });
      finds.push(asReaction(place, { user, name, added, eventTs: justAfter(known?.event_ts ?? NO_TIME) }));
    }
  return { finds, repaired: await repairBot(bridge, conversation, found), unsettled: false };
}

/** Adds or removes the bot's own emoji if Slack lists something other than wanted. */
async function repairBot(
  bridge: Bridge,
  conversation: Conversation,
  { missing, surplus }: ReactionDifferences,
): Promise<number> {
  return transaction(bridge.database.db, async (tx) => {
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
