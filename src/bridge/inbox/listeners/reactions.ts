import type { Bridge } from '../../bridge.ts';
import { relayReaction } from '../../features/reactions/relay-reaction.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

export const onReaction =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'reaction')) return relayReaction(bridge, turn);
    return turn.finish('not a reaction to a message');
  };
