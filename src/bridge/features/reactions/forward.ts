import { sql } from 'kysely';
import { z } from 'zod';

import type { Bridge } from '../../bridge.ts';
import { checkWritten } from '../../inbox/store.ts';
import { emojiCall } from '../../outbox/desired-state.ts';
import { postKind } from '../../outbox/post-kind.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import { wantedReactions } from './rules.ts';
import { type Conversation, conversationOf, locationOf } from '../../store/conversations.ts';
import { reactionKey, type ChatPlace } from '../../slack/ids.ts';
import { findLink, type MessageLink } from '../../store/links.ts';
import { forwardedReactions, firstPart, lockMessage, reactionsAt, setForwarded } from './store.ts';
import { messageNamed, type TicketMessage } from '../../tickets/ticket-messages.ts';
import { AnsweredError } from '../../../client/index.ts';
import { personOf } from '../../people/people.ts';
import { plainEmoji } from '../../../platform/text/emoji.ts';
import {
  type BodyOf,
  type BridgeTx,
  CLASSES,
  type Done,
  type Work,
  workFor,
  workKind,
  type Write,
} from '../../work.ts';

/**
 * Plans the changes of the bot's emoji on a ticket message: one for each emoji of users who do not have it in chat
 * (B12). A pending post gets them once it is sent. Call it under the conversation's ordering key.
 */
export async function mirrorReactions(
  tx: BridgeTx,
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
  const wanted = wantedReactions(message, await forwardedReactions(tx, conversation.id, message.id));
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
export async function planReactionsOfPost(bridge: Bridge, linkId: string): Promise<Write | undefined> {
  const waiting = await bridge.database.db
    .selectFrom('message_link')
    .innerJoin('bot_reaction', (join) =>
      join
        .onRef('bot_reaction.conversation_id', '=', 'message_link.conversation_id')
        .onRef('bot_reaction.ticket_message_id', '=', 'message_link.ticket_message_id'),
    )
    .select(['message_link.conversation_id', 'message_link.ticket_message_id', 'emoji'])
    .where('message_link.id', '=', linkId)
    .where('refused', '=', false)
    .where(sql<boolean>`wanted <> shown`)
    .execute();
  const [first] = waiting;
  if (!first) return undefined;
  const emoji = waiting.map((one) => one.emoji);
  return async (tx) => {
    const conversation = await conversationOf(tx, { conversationId: first.conversation_id });
    await planReactions(tx, bridge, conversation, first.ticket_message_id, emoji);
  };
}

/** Plans a call for each of these emoji; its effect is decided when it is sent. */
export async function planReactions(
  tx: BridgeTx,
  bridge: Bridge,
  conversation: Conversation,
  message: string,
  emoji: readonly string[],
): Promise<void> {
  if (emoji.length === 0) return;
  const place = locationOf(conversation);
  const part = await firstPart(tx, place, message);
  if (!part) return;
  const orderingKey = reactionKey({ team: place.team, channel: place.channel, ts: part.ts });
  await planPosts(
    tx,
    bridge,
    { ...place, orderingKey },
    emoji.map((one) => ({ kind: featureKind('reaction'), message, emoji: one })),
  );
}

const ReactionBody = z.object({ message: z.string(), emoji: z.string() });

/** Updates one of the bot's emoji; many changes at once make one call (B12). */
export const reactionPost = postKind(
  'reaction',
  'reaction',
  ReactionBody,
  async (bridge, writer, row, body) => {
    const { message, emoji } = body;
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
    const record = async (tx: BridgeTx, values: { shown: boolean; refused?: boolean }) => {
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
    const emojis = wanted ? { remove: [], add: name } : { remove: [name], add: null };
    return emojiCall(writer, { channel, ts: part.ts }, emojis, {
      after: (tx) => record(tx, { shown: wanted }),
      // A name that Slack does not know, or one emoji too many: it stays on the ticket.
      gone: (tx) => record(tx, { shown: false, refused: wanted }),
    });
  },
);

interface UserReaction {
  place: ChatPlace;
  user: string;
  name: string;
  present: boolean;
  /** The service's user who has it on the ticket. */
  userId: string | null;
}

interface ForwardResult {
  why: string;
  /** Writes the result; belongs into the final transaction. */
  record: (tx: BridgeTx) => Promise<void>;
}

/**
 * Adds a user's reaction to the ticket message, or removes it; idempotent (B12). Another part of a split message, or
 * another skin tone, may have the same: it is removed with the last of them. Throws ServiceError.
 */
export async function forwardReaction(
  bridge: Bridge,
  conversation: Conversation,
  link: MessageLink,
  reaction: UserReaction,
): Promise<ForwardResult> {
  const { place, user, name, present } = reaction;
  const stays = (why: string): ForwardResult => ({ why, record: (tx) => setForwarded(tx, reaction, null) });
  const person = await personOf(bridge, place.team, user);
  if (person.is_bot) return stays('reaction of another app');
  const userId = reaction.userId ?? person.user_id;
  if (userId === null) return stays('reaction of a person without a user');
  const { ticket_message_id: id } = link;
  if (await isTeamsCopy(bridge, conversation, link)) return stays('reaction among the team');
  const emoji = plainEmoji(name);
  const others = (await forwardedReactions(bridge.database.db, conversation.id, id)).filter(
    (one) => !(one.ts === place.ts && one.user === user && one.name === name),
  );
  if (!present && others.some((one) => one.userId === userId && plainEmoji(one.name) === emoji))
    return stays('the same emoji stands on another part');
  const call = { params: { id }, body: { emoji, authorId: userId } };
  let message: TicketMessage;
  try {
    message = await (present ? bridge.service.addReaction(call) : bridge.service.removeReaction(call));
  } catch (error) {
    if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
    // The message is gone or was deleted at the desk; or this service has no reactions (Ext).
    if (error.missing || error.status === 409) return stays('the service does not take it');
    throw error;
  }
  await checkWritten(bridge, message.ticketId, conversation.id);
  return {
    why: present ? 'reaction' : 'reaction taken back',
    record: async (tx) => {
      await setForwarded(tx, reaction, present ? userId : null);
      // Users who have it here need no emoji of the bot; users who have it only elsewhere do.
      await mirrorReactions(tx, bridge, conversation, message);
    },
  };
}

/**
 * Returns whether a message of a team's thread is its copy of what the requester reads: the requester would see what
 * the team feels about it. Throws ServiceError.
 */
async function isTeamsCopy(
  bridge: Bridge,
  { role, ticket_id: id }: Conversation,
  { origin, ticket_message_id: messageId }: MessageLink,
): Promise<boolean> {
  if (role !== 'triage' || origin === 'chat' || id === null) return false;
  const message = await messageNamed(bridge, { id }, messageId);
  return message?.private !== true;
}

/** A message was linked to a ticket: the emoji that it had before are forwarded. */
export const REACTED = workKind(
  'reacted',
  CLASSES.conversation,
  z.object({ conversation: z.string(), channel: z.string(), ts: z.string() }),
);

/** Forwards the reactions that a message had before it was linked (B4, B12). Throws ServiceError. */
export async function forwardEarlierReactions(
  bridge: Bridge,
  { body }: Work<BodyOf<typeof REACTED>>,
): Promise<Done> {
  const { conversation: conversationId, channel, ts } = body;
  const { db } = bridge.database;
  const conversation = await conversationOf(db, { conversationId });
  const place = { team: conversation.team_id, channel, ts };
  const link = await findLink(db, place);
  const earlier = await reactionsAt(db, place)
    .where('present', '=', true)
    .where('user_id', 'is', null)
    .orderBy('event_ts')
    .execute();
  const records: ForwardResult['record'][] = [];
  for (const { chat_user_id: user, name } of link && !link.deleted ? earlier : []) {
    const reaction = { place, user, name, present: true, userId: null };
    if (link) records.push((await forwardReaction(bridge, conversation, link, reaction)).record);
  }
  return {
    outcome: `forwarded ${records.length} earlier emoji`,
    write: async (tx) => {
      for (const record of records) await record(tx);
    },
  };
}

/**
 * Has emoji from before their message was linked forwarded, if there are any. The lock keeps the transaction that links
 * the message and those that receive reactions to it apart until they end; what follows the lock sees what was
 * committed while it waited.
 */
export async function scheduleEarlierReactions(
  tx: BridgeTx,
  conversation: string,
  place: ChatPlace,
): Promise<void> {
  await lockMessage(tx, place);
  const { channel, ts } = place;
  const earlier = await reactionsAt(tx, place)
    .where('present', '=', true)
    .where('user_id', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (earlier) tx.plan.add(workFor(REACTED, conversation, { conversation, channel, ts }));
}
