import type { Bridge } from '../bridge.ts';
import { isAskModal, submitAsk } from '../flows/submit-ask.ts';
import { submitModal } from '../flows/submit-modal.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

export const onSubmission =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'submission'))
      return isAskModal(turn.event.submission.callbackId)
        ? submitAsk(bridge, turn)
        : submitModal(bridge, turn);
    return turn.finish('not a modal of ours');
  };
