import { FORM_CALLBACK } from '../blocks/form.ts';
import type { Bridge } from '../bridge.ts';
import { isAskModal, submitAsk } from '../flows/submit-ask.ts';
import { submitForm } from '../flows/submit-form.ts';
import { submitModal } from '../flows/submit-modal.ts';
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
