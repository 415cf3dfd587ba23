import type { Bridge } from '../bridge.ts';
import { fillForm } from '../flows/open-form.ts';
import { openByShortcut } from '../flows/open-by-shortcut.ts';
import { sendToRequester } from '../flows/send-to-requester.ts';
import { isTurnOf, turnOf } from './turn-of.ts';

export const onCreateTicket =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'shortcut')) return openByShortcut(bridge, turn);
    return turn.finish('not a shortcut of a message');
  };

export const onSendToRequester =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) => {
    const turn = turnOf(context);
    if (isTurnOf(turn, 'shortcut')) return sendToRequester(bridge, turn);
    return turn.finish('not a shortcut of a message');
  };

export const onForm =
  (bridge: Bridge) =>
  async ({ context }: { context: Record<string, unknown> }) =>
    fillForm(bridge, turnOf(context));
