import type { Bridge } from '../../bridge.ts';
import { unfurlLinks } from '../../features/unfurls/unfurl-links.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

export const onLinkShared =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'link')) return unfurlLinks(bridge, turn);
    return turn.finish('not a link');
  };
