import type { Bridge } from '../../bridge.ts';
import { openHome } from '../../features/home/press-home.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

/** A user opened their Home. */
export const onOpened =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'home')) return openHome(bridge, turn);
    return turn.finish('nothing of ours was opened');
  };
