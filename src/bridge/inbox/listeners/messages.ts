import type { Bridge } from '../../bridge.ts';
import { relayDeletion, relayEdit } from '../../threads/relay-change.ts';
import { relayMessage } from '../../threads/relay-message.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

/** A message, its edit or deletion; `message` and `app_mention` of one message are one event. */
export const onMessage =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'message')) return relayMessage(bridge, turn);
    if (isTurnOf(turn, 'message-edited')) return relayEdit(bridge, turn);
    if (isTurnOf(turn, 'message-deleted')) return relayDeletion(bridge, turn);
    return turn.finish('B21 a change that says nothing new');
  };
