import type { Window } from '../app.ts';
import type { Bridge } from '../bridge.ts';
import { interactionOf, createTell, WINDOW_LATE, WINDOW_REFUSED } from '../inbox/answer-in-time.ts';
import type { ChatEvent } from '../slack/chat-event.ts';
import { ChatError } from '../slack/errors.ts';

/**
 * Opens an event's modal, empty, within the request: its trigger expires after three seconds, and the service may be
 * slow (B25, B46). Its work fills it, or shows why not. Never throws.
 */
export async function openWindow(
  bridge: Bridge,
  windows: readonly Window[],
  event: ChatEvent,
): Promise<void> {
  const trigger = interactionOf(event)?.triggerId;
  if (trigger === undefined) return;
  try {
    for (const window of windows) {
      const view = await window(bridge, event);
      if (!view) continue;
      await bridge.modals.open(trigger, view);
      return;
    }
  } catch (error) {
    bridge.log.warn({ err: error, event: 'modal.not_opened' }, 'a modal could not be opened');
    await createTell(
      bridge,
      event,
    )({ text: isLate(error) ? WINDOW_LATE : WINDOW_REFUSED }).catch((failed: unknown) =>
      bridge.log.warn(
        { err: failed, event: 'modal.not_told' },
        'a person could not be told why no modal opened',
      ),
    );
  }
}

/** Slack opens no window three seconds after it was asked for, and only one. */
function isLate(error: unknown): boolean {
  return (
    error instanceof ChatError && ['expired_trigger_id', 'exchanged_trigger_id'].includes(error.code ?? '')
  );
}
