import type { Bridge } from '../../bridge.ts';
import { fillForm } from '../../features/forms/open-form.ts';
import { fillActions } from '../../features/cards/open-modal.ts';
import { openByShortcut } from '../../tickets/open-by-shortcut.ts';
import { sendToRequester } from '../../features/cards/send-to-requester.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { Turn } from '../turn.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

/** Handles an entry of a message's menu. */
const onShortcut =
  (flow: (bridge: Bridge, turn: Turn<EventOf<'shortcut'>>) => Promise<void>) =>
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'shortcut')) return flow(bridge, turn);
    return turn.finish('not a shortcut of a message');
  };

export const onCreateTicket = onShortcut(openByShortcut);
export const onSendToRequester = onShortcut(sendToRequester);
export const onTicketActions = onShortcut(fillActions);

export const onForm =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) =>
    fillForm(bridge, turnOf(context));
