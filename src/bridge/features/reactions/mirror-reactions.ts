import { sql } from 'kysely';

import type { Tx } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import type { Call } from '../../outbox/post-kind.ts';
import type { ChatWriter } from '../../slack/writer.ts';
import { featureKind, type OutboxRow, plan } from '../../outbox/outbox.ts';
import { wantedReactions } from './rules.ts';
import { type Conversation, conversationOf, placeOf } from '../../threads/conversations.ts';
import { reactionKey } from '../../slack/ids.ts';
import { linkById } from '../../threads/messages.ts';
import { carriedReactions, firstPart } from './store.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import type { TicketMessage } from '../../threads/ticket-messages.ts';

/**
 * Plans the changes of the bot's emoji on a ticket message: one for each emoji of users who do not have it in chat
 * (B12). A pending post gets them once it is sent. Call it under the conversation's ordering key.
 */
export async function mirrorReactions(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  conversation: Conversation,
  message: TicketMessage,
): Promise<void> {
  const key = { conversation_id: conversation.id, ticket_message_id: message.id };
  const known = await tx
    .selectFrom('bot_reaction')
    .selectAll()
    .where((where) => where.and(key))
    .execute();
  if (known.length === 0 && message.reactions.length === 0) return;
  const wanted = wantedReactions(message, await carriedReactions(tx, conversation.id, message.id));
  const changed: string[] = [];
  for (const [emoji, name] of wanted) {
    const before = known.find((one) => one.emoji === emoji);
    if (before?.wanted) continue;
    changed.push(emoji);
    await tx
      .insertInto('bot_reaction')
      .values({ ...key, emoji, name, wanted: true })
      .onConflict((conflict) =>
        conflict
          .columns(['conversation_id', 'ticket_message_id', 'emoji'])
          .doUpdateSet({ wanted: true, refused: false }),
      )
      .execute();
  }
  for (const { emoji, wanted: before } of known) {
    if (!before || wanted.has(emoji)) continue;
    changed.push(emoji);
    await tx
      .updateTable('bot_reaction')
      .set({ wanted: false })
      .where((where) => where.and({ ...key, emoji }))
      .execute();
  }
  await planReactions(tx, bridge, conversation, message.id, changed);
}

/** Plans the emoji that waited for a post. */
export async function reactToPosted(tx: Tx<BridgeTables>, bridge: Bridge, linkId: string): Promise<void> {
  const link = await linkById(tx, linkId);
  if (!link) return;
  const { conversation_id, ticket_message_id } = link;
  const waiting = await tx
    .selectFrom('bot_reaction')
    .select('emoji')
    .where((where) => where.and({ conversation_id, ticket_message_id, refused: false }))
    .where(sql<boolean>`wanted <> shown`)
    .execute();
  if (waiting.length === 0) return;
  await planReactions(
    tx,
    bridge,
    await conversationOf(tx, { conversationId: conversation_id }),
    ticket_message_id,
    waiting.map(({ emoji }) => emoji),
  );
}

/** Plans a call for each of these emoji; its effect is decided when it is sent. */
export async function planReactions(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  conversation: Conversation,
  message: string,
  emoji: readonly string[],
): Promise<void> {
  if (emoji.length === 0) return;
  const place = placeOf(conversation);
  const part = await firstPart(tx, place, message);
  if (!part) return;
  const orderingKey = reactionKey({ team: place.team, channel: place.channel, ts: part.ts });
  await plan(
    tx,
    bridge,
    { ...place, orderingKey },
    emoji.map((one) => ({ kind: featureKind('reaction'), message, emoji: one })),
  );
}

/** Updates one of the bot's emoji; many changes at once make one call (B12). */
export async function reactionCall(
  bridge: Bridge,
  writer: ChatWriter,
  row: OutboxRow,
  { message, emoji }: { message: string; emoji: string },
): Promise<Call | undefined> {
  const { db } = bridge.database;
  const { conversation_id: conversation, channel_id: channel } = row;
  if (conversation === null) return undefined;
  const key = { conversation_id: conversation, ticket_message_id: message, emoji };
  const now = await db
    .selectFrom('bot_reaction')
    .selectAll()
    .where((where) => where.and(key))
    .executeTakeFirst();
  const part = await firstPart(db, { conversationId: conversation, channel }, message);
  if (!now || !part || now.refused) return undefined;
  const { wanted, shown, name } = now;
  // An earlier attempt may have done either: repeat it.
  if (wanted === shown && row.state !== 'sending') return undefined;
  const record = async (tx: Tx<BridgeTables>, values: { shown: boolean; refused?: boolean }) => {
    await tx
      .updateTable('bot_reaction')
      .set(values)
      .where((where) => where.and(key))
      .execute();
    await tx
      .deleteFrom('bot_reaction')
      .where((where) => where.and({ ...key, wanted: false, shown: false }))
      .execute();
  };
  return {
    methods: [wanted ? 'reactions.add' : 'reactions.remove'],
    make: async () => {
      await (wanted ? writer.react(channel, part.ts, name) : writer.unreact(channel, part.ts, name));
      return undefined;
    },
    after: (tx) => record(tx, { shown: wanted }),
    // A name that Slack does not know, or one emoji too many: it stays on the ticket.
    gone: (tx) => record(tx, { shown: false, refused: wanted }),
  };
}
