import type { ModalView } from '@slack/types';

import { RetryLater } from '../../platform/jobs/index.ts';
import type { Bridge } from '../bridge.ts';
import { ChatError } from '../slack/errors.ts';
import { modalId } from '../slack/ids.ts';

/** For this long a modal may still be opening. */
const OPENING_MS = 4_000;
const LOOK_AGAIN_MS = 250;

/**
 * Fills the modal that a trigger opened; waits for it if it is not there yet.
 * @returns whether it is shown: a user may have closed it meanwhile.
 */
export async function showIn(
  { modals, clock, log }: Pick<Bridge, 'modals' | 'clock' | 'log'>,
  { receivedAt }: { receivedAt: Date },
  triggerId: string,
  view: ModalView,
): Promise<boolean> {
  try {
    await modals.update(modalId(triggerId), view);
    return true;
  } catch (error) {
    if (!(error instanceof ChatError && error.next === 'give-up')) throw error;
    const isOpening = clock.now().getTime() - receivedAt.getTime() < OPENING_MS;
    if (error.code === 'not_found' && isOpening)
      throw new RetryLater('the modal is being opened', { afterMs: LOOK_AGAIN_MS, countAttempt: false });
    log.warn({ err: error, event: 'modal.not_filled' }, 'a modal could not be filled');
    return false;
  }
}
