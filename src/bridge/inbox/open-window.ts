import type { Bridge } from '../bridge.ts';
import type { Feature } from '../feature.ts';
import type { ChatEvent } from '../slack/chat-event.ts';

/**
 * Opens an event's modal, empty, within the request: its trigger expires after three seconds, and the service may be
 * slow (B25, B46). The job fills it, or shows why not. Never throws.
 */
export async function openWindow(bridge: Bridge, parts: readonly Feature[], event: ChatEvent): Promise<void> {
  const trigger = triggerOf(event);
  if (trigger === undefined) return;
  try {
    for (const part of parts) {
      const view = await part.window?.(bridge, event);
      if (!view) continue;
      await bridge.modals.open(trigger, view);
      return;
    }
  } catch (error) {
    bridge.log.warn({ err: error, event: 'modal.not_opened' }, 'a modal could not be opened');
  }
}

function triggerOf(event: ChatEvent): string | undefined {
  switch (event.kind) {
    case 'action':
      return event.action.triggerId;
    case 'shortcut':
    case 'global-shortcut':
      return event.shortcut.triggerId;
    case 'command':
      return event.command.triggerId;
    default:
      return undefined;
  }
}
