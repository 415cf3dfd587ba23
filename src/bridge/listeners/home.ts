import type { Bridge } from '../bridge.ts';
import { openHome } from '../flows/press-home.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

export const onHome =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'home')) return openHome(bridge, turn);
    return turn.finish('not the Home');
  };
