import type { Bridge } from '../../bridge.ts';
import { pressButton } from '../../features/press-button.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

export const onAction =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'action')) return pressButton(bridge, turn);
    return turn.finish('not a button of ours');
  };
