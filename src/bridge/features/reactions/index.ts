// Emoji: some open a ticket or change one (B1, B5), all others cross between a chat message and its ticket message,
// where the bot shows those of people who are not in chat (B12).

import { z } from 'zod';

import { isForwarded } from '../../blocks/emoji.ts';
import { type Feature, jobKind, on } from '../../feature.ts';
import { postKind } from '../../outbox/post-kind.ts';
import { NO_TIME } from '../../slack/ids.ts';
import {
  scheduleEarlierReactions,
  forwardEarlierReactions,
  mirrorReactions,
  reactionCall,
  planReactionsOfPost,
} from './forward.ts';
import { handleReaction } from './react.ts';
import { botReactions, recordReaction } from './store.ts';

export const reactions: Feature = {
  posts: [postKind('reaction', 'mark', z.object({ message: z.string(), emoji: z.string() }), reactionCall)],
  jobs: [
    // A message was linked to a ticket: its earlier emoji are forwarded.
    jobKind(
      'reacted',
      z.object({ reacted: z.string(), channel: z.string(), ts: z.string() }),
      forwardEarlierReactions,
    ),
  ],
  handlers: [on('reaction', handleReaction)],
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
    async threadsMirrored({ conversations, visible, messages }) {
      const ids = conversations.map(({ id }) => id);
      const shown = visible && messages.length > 0 ? await botReactions(bridge.database.db, ids) : [];
      return conversations.map((conversation) => {
        const reacted = new Set(
          shown.filter((one) => one.conversation_id === conversation.id).map((one) => one.ticket_message_id),
        );
        const concerned = messages.filter(({ id, reactions: held }) => held.length > 0 || reacted.has(id));
        if (concerned.length === 0) return undefined;
        return async (tx) => {
          for (const message of concerned) await mirrorReactions(tx, bridge, conversation, message);
        };
      });
    },
  }),
};
