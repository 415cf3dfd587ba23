import type { App } from '@slack/bolt';
import type { HomeView, KnownBlock, ModalView, PlainTextElement } from '@slack/types';

import type { SandboxSeed } from '../../src/sandbox/index.ts';
import { SEED } from '../sandbox/seed.ts';

/** The workspace of the tests with an app that has a command and both kinds of shortcuts. */
export const PAGE_SEED = {
  ...SEED,
  app: {
    ...SEED.app,
    commands: [{ command: '/ticket', hint: 'help · new · search' }],
    shortcuts: [
      { callbackId: 'to-ticket', name: 'Make it a ticket', on: 'message' as const },
      { callbackId: 'new-ticket', name: 'New ticket', on: 'global' as const },
    ],
  },
} satisfies SandboxSeed;

const plain = (text: string): PlainTextElement => ({ type: 'plain_text', text });
const option = (text: string, value = text.toLowerCase()) => ({ text: plain(text), value });

/** A card with every interactive element of messages. */
export function card(status: string): KnownBlock[] {
  return [
    { type: 'header', text: plain('IT-1 Laptop does not start') },
    {
      type: 'section',
      fields: [
        { type: 'mrkdwn', text: `*Status*\n${status}` },
        { type: 'mrkdwn', text: '*Agent*\nnobody yet' },
      ],
      accessory: {
        type: 'overflow',
        action_id: 'more',
        options: [option('Copy the reference', 'copy'), option('Mute', 'mute')],
      },
    },
    {
      type: 'actions',
      block_id: 'acts',
      elements: [
        { type: 'button', action_id: 'details', text: plain('Details'), style: 'primary', value: 'IT-1' },
        {
          type: 'static_select',
          action_id: 'status',
          placeholder: plain('Set status'),
          options: ['Open', 'Waiting', 'Done'].map((name) => option(name, name)),
        },
        {
          type: 'button',
          action_id: 'close',
          text: plain('Close'),
          style: 'danger',
          confirm: {
            title: plain('Close the ticket?'),
            text: { type: 'mrkdwn', text: 'The requester is *told*.' },
            confirm: plain('Close it'),
            deny: plain('Keep it'),
            style: 'danger',
          },
        },
      ],
    },
    { type: 'context', elements: [{ type: 'mrkdwn', text: 'Opened just now · P2' }] },
  ];
}

/** A form with every kind of input. */
export function form(): ModalView {
  return {
    type: 'modal',
    callback_id: 'ticket-form',
    notify_on_close: true,
    title: plain('Ticket'),
    submit: plain('Save'),
    close: plain('Cancel'),
    blocks: [
      {
        type: 'section',
        block_id: 'intro',
        text: { type: 'mrkdwn', text: 'What the *agents* need to know.' },
        accessory: { type: 'button', action_id: 'push', text: plain('History') },
      },
      {
        type: 'input',
        block_id: 'title',
        label: plain('Title'),
        hint: plain('Five letters or more'),
        element: { type: 'plain_text_input', action_id: 'title', placeholder: plain('In a few words') },
      },
      {
        type: 'input',
        block_id: 'notes',
        label: plain('Description'),
        optional: true,
        element: { type: 'plain_text_input', action_id: 'notes', multiline: true },
      },
      {
        type: 'input',
        block_id: 'priority',
        label: plain('Priority'),
        element: {
          type: 'static_select',
          action_id: 'priority',
          option_groups: [
            { label: plain('Now'), options: [option('Urgent'), option('High')] },
            { label: plain('Later'), options: [option('Normal'), option('Low')] },
          ],
          initial_option: option('Normal'),
        },
      },
      {
        type: 'input',
        block_id: 'asset',
        label: plain('Device'),
        optional: true,
        element: { type: 'external_select', action_id: 'asset', min_query_length: 1 },
      },
      {
        type: 'input',
        block_id: 'watchers',
        label: plain('Watchers'),
        optional: true,
        element: { type: 'multi_users_select', action_id: 'watchers', placeholder: plain('Who follows it') },
      },
      {
        type: 'input',
        block_id: 'where',
        label: plain('Where'),
        optional: true,
        element: {
          type: 'radio_buttons',
          action_id: 'where',
          options: [option('In the office', 'office'), option('At home', 'home')],
        },
      },
      {
        type: 'input',
        block_id: 'tags',
        label: plain('It concerns'),
        optional: true,
        element: {
          type: 'checkboxes',
          action_id: 'tags',
          options: [option('Hardware'), option('Software')],
        },
      },
      {
        type: 'input',
        block_id: 'due',
        label: plain('Due'),
        optional: true,
        element: { type: 'datepicker', action_id: 'due' },
      },
      {
        type: 'input',
        block_id: 'at',
        label: plain('At'),
        optional: true,
        element: { type: 'timepicker', action_id: 'at' },
      },
    ],
  };
}

function history(): ModalView {
  return {
    type: 'modal',
    title: plain('History'),
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'Opened by *Ada*' } }],
  };
}

function home(person: string, presses: number): HomeView {
  return {
    type: 'home',
    blocks: [
      { type: 'header', text: plain('Your tickets') },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `Hello <@${person}>, you pressed ${presses} times.` },
      },
      { type: 'divider' },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '*IT-1* Laptop does not start\nOpen · waits for an agent' },
        accessory: { type: 'button', action_id: 'home-press', text: plain('Refresh'), value: 'x' },
      },
    ],
  };
}

/**
 * A small help desk: a mention returns a card, a button opens a form, and it has a Home. `seen` collects the
 * events that it received.
 */
export function helpDesk(app: App, seen: string[] = []): void {
  let presses = 0;
  app.event('app_mention', async ({ event, client }) => {
    await client.chat.postMessage({
      channel: event.channel,
      thread_ts: event.thread_ts ?? event.ts,
      text: 'IT-1',
      blocks: card('Open'),
    });
  });
  app.action({ type: 'block_actions', action_id: 'details' }, async ({ ack, body, client }) => {
    await ack();
    const { channel, message } = body;
    const metadata = JSON.stringify([channel?.id, message?.['thread_ts']]);
    await client.views.open({
      trigger_id: body.trigger_id,
      view: { ...form(), private_metadata: metadata },
    });
  });
  app.action({ type: 'block_actions', action_id: 'push' }, async ({ ack, body, client }) => {
    await ack();
    await client.views.push({ trigger_id: body.trigger_id, view: history() });
  });
  app.action({ type: 'block_actions', action_id: 'status' }, async ({ ack, body, action, client }) => {
    await ack();
    if (action.type !== 'static_select') return;
    await client.chat.update({
      channel: body.channel?.id ?? '',
      ts: body.message?.ts ?? '',
      text: 'IT-1',
      blocks: card(action.selected_option.value),
    });
  });
  for (const name of ['close', 'more'])
    app.action({ type: 'block_actions', action_id: name }, async ({ ack, action }) => {
      await ack();
      seen.push(action.type === 'overflow' ? `more ${action.selected_option.value}` : name);
    });
  app.options('asset', async ({ ack, options }) => {
    await ack({
      options: ['ThinkPad X1', 'MacBook Air']
        .filter((name) => name.includes(options.value))
        .map((name) => option(name, name)),
    });
  });
  app.view('ticket-form', async ({ ack, view, client }) => {
    const { values } = view.state;
    const title = values['title']?.['title']?.value ?? '';
    if (title.length < 5) {
      await ack({ response_action: 'errors', errors: { title: 'Say a little more, please.' } });
      return;
    }
    await ack();
    const [channel, thread] = JSON.parse(view.private_metadata || '[]') as [string?, string?];
    seen.push(`saved ${title}, ${values['priority']?.['priority']?.selected_option?.value ?? ''}`);
    if (channel !== undefined && thread !== undefined)
      await client.chat.postMessage({ channel, thread_ts: thread, text: `Saved as “${title}”` });
  });
  app.view({ callback_id: 'ticket-form', type: 'view_closed' }, async ({ ack }) => {
    await ack();
    seen.push('closed');
  });
  const publish = async (client: App['client'], person: string) => {
    await client.views.publish({ user_id: person, view: home(person, presses) });
  };
  app.event('app_home_opened', async ({ event, client }) => {
    if (event.tab === 'home') await publish(client, event.user);
  });
  app.action('home-press', async ({ ack, body, client }) => {
    await ack();
    presses += 1;
    await publish(client, body.user.id);
  });
  for (const name of ['new-ticket', 'to-ticket'])
    app.shortcut(name, async ({ ack, body, client }) => {
      await ack();
      seen.push(name);
      await client.views.open({ trigger_id: body.trigger_id, view: form() });
    });
  app.command('/ticket', async ({ ack, command }) => ack(`you said ${command.text}`));
}
