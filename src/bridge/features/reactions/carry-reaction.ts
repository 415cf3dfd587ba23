import { sql } from 'kysely';

import { AnsweredError } from '../../../client/index.ts';
import { type Tx, transaction } from '../../../platform/database/open.ts';
import { enqueue, type Job } from '../../../platform/jobs/index.ts';
import { CONVERSATION_QUEUE } from '../../inbox/store.ts';
import type { Bridge } from '../../bridge.ts';
import { type Conversation, conversationOf } from '../../threads/conversations.ts';
import { type ChatPlace, messageKey } from '../../slack/ids.ts';
import { findLink, type MessageLink } from '../../threads/messages.ts';
import { personOf } from '../../people/people.ts';
import { carriedReactions, reactionsAt, setCarried } from './store.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import { plainEmoji } from '../../../platform/text/emoji.ts';
import type { TicketMessage } from '../../threads/ticket-messages.ts';
import { mirrorReactions } from './mirror-reactions.ts';

/** A user's reaction on a ticket's message, added or removed. */
interface Held {
  place: ChatPlace;
  user: string;
  name: string;
  present: boolean;
  /** The service's user under whom it was added to the ticket. */
  userId: string | null;
}

interface Carried {
  why: string;
  /** Writes the result; belongs into the final transaction. */
  record: (tx: Tx<BridgeTables>) => Promise<void>;
}

/**
 * Adds a user's reaction to the ticket message, or removes it; idempotent (B12). Another part of a split message, or
 * another skin tone, may have the same: it is removed with the last of them. Throws ServiceError.
 */
export async function carryReaction(
  bridge: Bridge,
  conversation: Conversation,
  link: MessageLink,
  held: Held,
): Promise<Carried> {
  const { place, user, name, present } = held;
  const stays = (why: string): Carried => ({ why, record: (tx) => setCarried(tx, held, null) });
  const person = await personOf(bridge, place.team, user);
  if (person.is_bot) return stays('B17 another app’s reaction');
  const userId = held.userId ?? person.user_id;
  if (userId === null) return stays('B10 a person without a user: the reaction stays in chat');
  const { ticket_message_id: id } = link;
  const emoji = plainEmoji(name);
  const others = (await carriedReactions(bridge.database.db, conversation.id, id)).filter(
    (one) => !(one.ts === place.ts && one.user === user && one.name === name),
  );
  if (!present && others.some((one) => one.userId === userId && plainEmoji(one.name) === emoji))
    return stays('B12 the same stands on another part');
  const call = { params: { id }, body: { emoji, authorId: userId } };
  let message: TicketMessage;
  try {
    message = await (present ? bridge.service.addReaction(call) : bridge.service.removeReaction(call));
  } catch (error) {
    if (!(error instanceof AnsweredError && error.next === 'give-up')) throw error;
    // The message is gone or was deleted at the desk; or this service has no reactions (Ext).
    if (error.missing || error.status === 409) return stays('B12 the service does not take it');
    throw error;
  }
  return {
    why: present ? 'B12 reaction' : 'B12 reaction taken back',
    record: async (tx) => {
      await setCarried(tx, held, present ? userId : null);
      // Users who have it here need no emoji of the bot; users who have it only elsewhere do.
      await mirrorReactions(tx, bridge, conversation, message);
    },
  };
}

/** Forwards the reactions that a message had before it was linked (B4, B12). Throws ServiceError. */
export async function relayEarlier(
  bridge: Bridge,
  job: Job<unknown>,
  { reacted: conversationId, channel, ts }: { reacted: string; channel: string; ts: string },
): Promise<void> {
  const { db } = bridge.database;
  const conversation = await conversationOf(db, { conversationId });
  const place = { team: conversation.team_id, channel, ts };
  const link = await findLink(db, place);
  const earlier = await reactionsAt(db, place)
    .where('present', '=', true)
    .where('user_id', 'is', null)
    .orderBy('event_ts')
    .execute();
  const records: Carried['record'][] = [];
  for (const { chat_user_id: user, name } of link && !link.deleted ? earlier : []) {
    const held = { place, user, name, present: true, userId: null };
    if (link) records.push((await carryReaction(bridge, conversation, link, held)).record);
  }
  await transaction(db, async (tx) => {
    for (const record of records) await record(tx);
    await job.completeLast(tx);
  });
}

/** Has the emoji carried that were heard of before their message was linked; call it where that is written. */
export async function carryEarlier(
  tx: Tx<BridgeTables>,
  conversationId: string,
  place: ChatPlace,
): Promise<void> {
  const { team, channel, ts } = place;
  const { rows } = await sql<{ earlier: boolean }>`
    select has_waiting_reactions(${messageKey(place)}, ${team}, ${channel}, ${ts}) as earlier`.execute(tx);
  if (!rows[0]?.earlier) return;
  const payload = { reacted: conversationId, channel, ts };
  await enqueue(tx, [{ queue: CONVERSATION_QUEUE, orderingKey: conversationId, payload }]);
}
