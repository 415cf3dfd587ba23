import { ASK_FIELDS, ASK_MODALS } from './blocks.ts';
import type { Bridge } from '../../bridge.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { Turn } from '../../inbox/turn.ts';
import { personOf } from '../../people/people.ts';
import { answerInTime } from '../../inbox/answer-in-time.ts';
import { readContext } from '../../blocks/modals.ts';
import { decide, rate } from './press-ask.ts';
import { tellInPlace } from '../../threads/tell-in-place.ts';

/** Returns whether a modal belongs to a question (B39, B40). */
export function isAskModal(callbackId: string): boolean {
  return Object.values<string>(ASK_MODALS).includes(callbackId);
}

/** Handles the reason of a decline, or the comment on a rating; failures are reported in place. */
export async function submitAsk(bridge: Bridge, turn: Turn<EventOf<'submission'>>): Promise<void> {
  const { submission } = turn.event;
  const { team, user, callbackId, values } = submission;
  const context = readContext(submission.metadata);
  if (!context) return turn.finish('not a modal of ours');
  const { channel, thread, ticket } = context;
  const typed = (field: string) => {
    const value = values[field];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  await answerInTime(
    bridge,
    turn,
    tellInPlace(bridge, { team, channel, user, thread }),
    { changes: true, outcome: `B39 ${callbackId}`, seen: true },
    async () => {
      const person = await personOf(bridge, team, user);
      return callbackId === ASK_MODALS.decline
        ? decide(bridge, ticket, person, 'declined', typed(ASK_FIELDS.reason))
        : rate(bridge, turn, ticket, person, { feedback: typed(ASK_FIELDS.words) });
    },
  );
}
