import type { Bridge } from '../bridge.ts';
import { submitModal } from '../flows/submit-modal.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

export const onSubmission =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'submission')) return submitModal(bridge, turn);
    return turn.finish('not a modal of ours');
  };
