import type { Bridge } from '../../bridge.ts';
import { openPane } from '../../features/assistant/open-pane.ts';
import { openHome } from '../../features/home/press-home.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

/** Somebody opened the app: its Home, or the direct conversation with it. */
export const onOpened =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'home')) return openHome(bridge, turn);
    if (isTurnOf(turn, 'pane')) return openPane(bridge, turn);
    return turn.finish('nothing of ours was opened');
  };
