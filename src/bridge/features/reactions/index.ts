// Emoji: some open a ticket or change one (B1, B5), all others cross between a chat message and its ticket message,
// where the bot shows those of people who are not in chat (B12).

import { sql } from 'kysely';
import { z } from 'zod';

import { isForwarded } from '../../blocks/emoji.ts';
import { type Feature, workOf } from '../../feature.ts';
import { NO_TIME } from '../../slack/ids.ts';
import {
  scheduleEarlierReactions,
  forwardEarlierReactions,
  mirrorReactions,
  REACTED,
  reactionPost,
  planReactionsOfPost,
} from './forward.ts';
import { recordReaction } from './store.ts';

/** The ticket messages of a conversation that have the bot's emoji. */
const Reacted = z
  .array(z.string())
  .nullish()
  .transform((ids) => ids ?? []);

export const reactions: Feature = {
  posts: [reactionPost],
  works: () => [workOf(REACTED, forwardEarlierReactions)],
  hooks: (bridge) => ({
    async ticketOpened(tx, { imported }) {
      const at = bridge.clock.now();
      for (const { message: place, reactions: there } of imported)
        for (const { name, users } of there)
          for (const user of users.filter((one) => one !== bridge.bot.userId && isForwarded(name)))
            await recordReaction(tx, { place, user, name, added: true, eventTs: NO_TIME }, at);
    },
    messageLinked: scheduleEarlierReactions,
    messagePosted: (linkId) => planReactionsOfPost(bridge, linkId),
    readWith: () => ({
      reacted: sql`(select json_agg(ticket_message_id) from bot_reaction where conversation_id = conversation.id)`,
    }),
    threadsMirrored: async ({ conversations, visible, messages }) =>
      conversations.map((conversation) => {
        const reacted = new Set(visible ? Reacted.parse(conversation.known['reacted']) : []);
        const concerned = messages.filter(({ id, reactions: held }) => held.length > 0 || reacted.has(id));
        if (concerned.length === 0) return undefined;
        return async (tx) => {
          for (const message of concerned) await mirrorReactions(tx, bridge, conversation, message);
        };
      }),
  }),
};
