import type { Tx } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import { isForwarded } from '../blocks/emoji.ts';

import type { TicketMessage } from '../threads/ticket-messages.ts';
import type { Conversation } from '../threads/conversations.ts';
import { NO_TIME } from '../slack/ids.ts';
import { findLink } from '../threads/messages.ts';
import { personOf } from '../people/people.ts';
import { findReaction, firstPart, hearReaction, setCarried } from '../features/reactions/store.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { emojiKey, plainEmoji } from '../../platform/text/emoji.ts';
import type { ListedMessage } from './as-event.ts';

/** A reaction in Slack, with the service's user; null if there is none, or for the bot's own. */
interface Standing {
  ts: string;
  name: string;
  user: string;
  userId: string | null;
}

/** Returns the reactions in a thread, with users of the service. Throws ChatError or ServiceError. */
export async function standingReactions(
  bridge: Bridge,
  team: string,
  listed: readonly ListedMessage[],
): Promise<Standing[]> {
  const standing: Standing[] = [];
  for (const { ts, reactions } of listed)
    for (const { name, users } of reactions)
      for (const user of isForwarded(name) ? users : []) {
        const person = user === bridge.bot.userId ? undefined : await personOf(bridge, team, user);
        standing.push({ ts, name, user, userId: person?.user_id ?? null });
      }
  return standing;
}

/**
 * Restores the records of reactions before anything is mirrored: otherwise the bot would repeat on every message what
 * users already have there. Existing records stay.
 */
export async function restoreReactions(
  tx: Tx<BridgeTables>,
  bridge: Bridge,
  conversation: Conversation,
  { standing, messages }: { standing: readonly Standing[]; messages: readonly TicketMessage[] },
): Promise<void> {
  const { id, team_id: team, channel_id: channel } = conversation;
  for (const { ts, name, user, userId } of standing) {
    const place = { team, channel, ts };
    const link = await findLink(tx, place);
    if (!link || link.conversation_id !== id || link.deleted) continue;
    if (user === bridge.bot.userId) {
      const part = await firstPart(tx, { conversationId: id, channel }, link.ticket_message_id);
      if (part?.ts === ts)
        await tx
          .insertInto('bot_reaction')
          .values({
            conversation_id: id,
            ticket_message_id: link.ticket_message_id,
            emoji: emojiKey(name),
            name: plainEmoji(name),
            wanted: true,
            shown: true,
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      continue;
    }
    if (await findReaction(tx, { place, user, name })) continue;
    await hearReaction(tx, { place, user, name, added: true, eventTs: NO_TIME }, bridge.clock.now());
    const record = messages.find((one) => one.id === link.ticket_message_id);
    const isThere = record?.reactions.some(
      (one) => one.authorId === userId && one.emoji === plainEmoji(name),
    );
    if (userId !== null && isThere) await setCarried(tx, { place, user, name }, userId);
    else await bridge.hooks.messageLinked(tx, id, place);
  }
}
