import { FORM_CALLBACK } from '../../features/forms/blocks.ts';
import type { Bridge } from '../../bridge.ts';
import { isAskModal, submitAsk } from '../../features/approvals/submit-ask.ts';
import { submitForm } from '../../features/forms/submit-form.ts';
import { submitModal } from '../../features/cards/submit-modal.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

export const onSubmission =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (!isTurnOf(turn, 'submission')) return turn.finish('not a modal of ours');
    const { callbackId } = turn.event.submission;
    if (callbackId === FORM_CALLBACK) return submitForm(bridge, turn);
    return isAskModal(callbackId) ? submitAsk(bridge, turn) : submitModal(bridge, turn);
  };
