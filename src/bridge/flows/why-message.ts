import type { Bridge } from '../bridge.ts';
import { respond } from '../chat/respond.ts';
import type { EventOf } from '../intake/chat-event.ts';
import type { Turn } from '../intake/turn.ts';
import { personOf } from '../links/people.ts';
import { answerInTime } from './answer-in-time.ts';
import { explainMessage } from './explain-message.ts';

/** *Why?* in a message's menu: who can press it can see the message (B55). */
export async function whyMessage(bridge: Bridge, turn: Turn<EventOf<'shortcut'>>): Promise<void> {
  const { team, user, message, responseUrl } = turn.event.shortcut;
  await answerInTime(
    bridge,
    turn,
    (answer) => respond(bridge, responseUrl, answer),
    { changes: false, outcome: 'B55 why' },
    async () => ({ text: await explainMessage(bridge, message, await personOf(bridge, team, user)) }),
  );
}
