import type { App } from '@slack/bolt';
import type { ModalView, WebAPIPlatformError, WebClient } from '@slack/web-api';
import { expect } from 'vitest';

import type { Sandbox } from '../../../src/sandbox/index.ts';
import { boltApp, HeldClock, Mailbox, openSandbox, webClient } from '../open-sandbox.ts';

const text = (words: string) => ({ type: 'plain_text' as const, text: words });

/** A form with one required field. */
export const FORM: ModalView = {
  type: 'modal',
  callback_id: 'form',
  title: text('A form'),
  submit: text('Send'),
  blocks: [
    {
      type: 'input',
      block_id: 'why',
      label: text('Why'),
      element: { type: 'plain_text_input', action_id: 'text' },
    },
  ],
};
/** The values that fill it. */
export const FILLED = { why: { text: 'because' } };

/** A view with one text and one button. */
export function page(title: string, more: Partial<ModalView> = {}): ModalView {
  return {
    type: 'modal',
    title: text(title),
    blocks: [
      {
        type: 'actions',
        block_id: 'buttons',
        elements: [{ type: 'button', action_id: 'next', text: text('Next') }],
      },
    ],
    ...more,
  };
}

export interface Stage {
  sandbox: Sandbox;
  clock: HeldClock;
  client: WebClient;
  /** Types `/form` as Ada; resolves to the trigger id that the app got. */
  trigger: () => Promise<string>;
  /** Opens a view for Ada; resolves to its id. */
  open: (view: ModalView) => Promise<string>;
}

/**
 * A sandbox with a held clock, and a Bolt app that acknowledges `/form` and presses of "next" and stores
 * their trigger ids.
 */
export async function stage(setUp: (app: App) => void = () => undefined): Promise<Stage> {
  const clock = new HeldClock();
  const sandbox = await openSandbox({ clock });
  const triggers = new Mailbox<string>();
  await boltApp(sandbox, (app) => {
    app.command('/form', async ({ ack, command }) => {
      triggers.put(command.trigger_id);
      await ack();
    });
    setUp(app);
  });
  const client = webClient(sandbox);
  let asked = 0;
  const trigger = async () => {
    asked += 1;
    await sandbox.control.command({ channel: 'it-help', user: 'ada', command: '/form', text: '' });
    return (await triggers.first(asked)).at(-1) ?? '';
  };
  return {
    sandbox,
    clock,
    client,
    trigger,
    open: async (view) => {
      const opened = await client.views.open({ trigger_id: await trigger(), view });
      return opened.view?.id ?? '';
    },
  };
}

/** The error of a call: its `error`, and `response_metadata.messages`. */
export async function refusal(call: Promise<unknown>): Promise<{ error: string; messages: string[] }> {
  const failure: WebAPIPlatformError = await call.then(
    () => expect.fail('the call was not refused'),
    (error: unknown) => error as WebAPIPlatformError,
  );
  const { error, response_metadata } = failure.data;
  return { error, messages: response_metadata?.messages ?? [] };
}
