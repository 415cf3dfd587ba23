import type { Bridge } from '../bridge.ts';
import { plan } from '../chat/outbox.ts';
import type { EventOf } from '../intake/chat-event.ts';
import type { Turn } from '../intake/turn.ts';
import { conversationOf, placeOf } from '../links/conversations.ts';
import { describedBy, NO_QUEUE, NoQueueError, openTicket, readRoot } from './open-ticket.ts';

/** The emoji that opens a ticket (B1). */
const TICKET_EMOJI = 'ticket';

/** 🎫 on a root message of a linked channel opens its ticket (B1, B3, B5). */
export async function reactToOpen(bridge: Bridge, turn: Turn<EventOf<'reaction'>>): Promise<void> {
  const { place, user, name, added } = turn.event;
  if (name !== TICKET_EMOJI || !added) return turn.finish('B12 a reaction that opens nothing');
  if (user === bridge.bot.userId) return turn.finish('B16 our own reaction');
  const conversation = await conversationOf(bridge.database.db, turn);
  if (conversation.root_ts !== place.ts) return turn.finish('B5 on a reply');
  if (conversation.ticket_id)
    return turn.finish('B2 this thread has its ticket', (tx) =>
      plan(tx, bridge, placeOf(conversation), [
        {
          kind: 'whisper',
          user,
          text: 'This message has its ticket already; you find it in the thread.',
          thread: conversation.root_ts,
        },
      ]),
    );
  const home = await bridge.channels.of(place.channel);
  if (!home?.linked) return turn.finish('B5 the channel is not linked');
  const root = await readRoot(bridge, conversation);
  if (!root) return turn.finish('B5 the message is gone, or is a reply');
  try {
    const request = await describedBy(bridge, root);
    const opened = await openTicket(bridge, { conversation, askedBy: user, private: false, ...request });
    await turn.finish(`B1 reaction: opened ${opened.ticket.code}`, (tx) => opened.record(tx));
  } catch (error) {
    if (!(error instanceof NoQueueError)) throw error;
    await turn.finish('B7 no queue', (tx) =>
      plan(tx, bridge, placeOf(conversation), [{ kind: 'whisper', user, text: NO_QUEUE }]),
    );
  }
}
