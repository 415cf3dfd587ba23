import type { KnownBlock } from '@slack/types';
import { expect, test } from 'vitest';

import { ADA, BEN, boltApp, HELP, openSandbox, webClient } from '../sandbox/open-sandbox.ts';
import { PAGE_SEED } from './page-app.ts';
import { useBrowser } from './page-browser.ts';

const browser = useBrowser();

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const option = (text: string) => ({ text: plain(text), value: text.toLowerCase() });

/** Types and presses Enter before the page has drawn anything in between. */
const TYPE_AND_ENTER = `
  const field = document.activeElement;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'tw');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  for (const kind of ['keydown', 'keyup'])
    field.dispatchEvent(new KeyboardEvent(kind, { key: 'Enter', bubbles: true, cancelable: true }));`;

const ELEMENTS: KnownBlock[] = [
  {
    type: 'rich_text',
    elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'Choose below\n' }] }],
  },
  {
    type: 'actions',
    block_id: 'all',
    elements: [
      { type: 'users_select', action_id: 'who', placeholder: plain('Who') },
      { type: 'conversations_select', action_id: 'place', placeholder: plain('Where') },
      {
        type: 'channels_select',
        action_id: 'channel',
        placeholder: plain('Channel'),
        initial_channel: 'C0QUIET',
      },
      {
        type: 'multi_static_select',
        action_id: 'several',
        placeholder: plain('Several'),
        options: [option('One'), option('Two'), option('Three')],
      },
      { type: 'external_select', action_id: 'far', placeholder: plain('From afar'), min_query_length: 2 },
      { type: 'datepicker', action_id: 'day', placeholder: plain('Day') },
      { type: 'timepicker', action_id: 'time', placeholder: plain('Time') },
      { type: 'checkboxes', action_id: 'boxes', options: [option('Red'), option('Green')] },
      { type: 'radio_buttons', action_id: 'radio', options: [option('Left'), option('Right')] },
      {
        type: 'static_select',
        action_id: 'asked',
        placeholder: plain('Asks first'),
        options: [option('Yes please')],
        confirm: {
          title: plain('Really?'),
          text: plain('It is told.'),
          confirm: plain('Yes'),
          deny: plain('No'),
        },
      },
    ],
  },
];

test('every element of a message sends its choice to the app', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const told: unknown[] = [];
  await boltApp(sandbox, (app) => {
    app.action(/./, async ({ ack, action }) => {
      await ack();
      told.push(action);
    });
    app.options('far', async ({ ack, options }) => ack({ options: [option(`Far ${options.value}`)] }));
  });
  await webClient(sandbox).chat.postMessage({ channel: HELP, text: 'all', blocks: ELEMENTS });
  const { page, problems } = await browser.open(sandbox);
  const next = async (wanted: object) => {
    await expect.poll(() => told).toHaveLength(1);
    expect(told.splice(0)).toMatchObject([wanted]);
  };
  const choose = async (menu: string, choice: string) => {
    await page.getByRole('combobox', { name: menu }).click();
    await page.getByRole('option', { name: choice }).click();
  };

  // Without the line break at its end, which would show as an empty line.
  expect(await page.getByText('Choose below').textContent()).toBe('Choose below');
  await choose('Who', 'Ben Okafor');
  await next({ action_id: 'who', selected_user: BEN });
  await choose('Where', '#quiet');
  await next({ action_id: 'place', selected_conversation: 'C0QUIET' });
  expect(await page.getByRole('combobox', { name: 'Channel' }).inputValue()).toBe('#quiet');
  await choose('Channel', '#it-help');
  await next({ action_id: 'channel', selected_channel: HELP });
  await choose('Several', 'Two');
  await next({ action_id: 'several', selected_options: [{ value: 'two' }] });
  await page.getByRole('option', { name: 'Three' }).click();
  await next({ action_id: 'several', selected_options: [{ value: 'two' }, { value: 'three' }] });
  // Escape closes the list; what was chosen stays.
  await page.keyboard.press('Escape');
  await page.getByRole('listbox', { name: 'Several' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove Two' }).click();
  await next({ action_id: 'several', selected_options: [{ value: 'three' }] });
  const several = page.getByRole('combobox', { name: 'Several' });
  await several.press('Backspace');
  await next({ action_id: 'several', selected_options: [] });
  // Whoever only passes through chooses nothing.
  await several.click();
  await page.getByRole('option', { name: 'One' }).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('listbox', { name: 'Several' }).waitFor({ state: 'detached' });
  // What is typed narrows the list, and Enter chooses its first.
  await several.fill('th');
  await page.getByRole('option', { name: 'Three' }).waitFor();
  await page.getByRole('option', { name: 'Two' }).waitFor({ state: 'detached' });
  await several.press('Enter');
  await next({ action_id: 'several', selected_options: [{ value: 'three' }] });
  // Also where Enter comes before the first is marked.
  await page.keyboard.press('Escape');
  await page.getByRole('listbox', { name: 'Several' }).waitFor({ state: 'detached' });
  await several.focus();
  await page.evaluate(TYPE_AND_ENTER);
  await next({ action_id: 'several', selected_options: [{ value: 'three' }, { value: 'two' }] });
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'From afar' }).click();
  await page.getByText('Type at least 2 letters').waitFor();
  await page.keyboard.type('xy');
  await page.getByRole('option', { name: 'Far xy' }).click();
  await next({ action_id: 'far', selected_option: { value: 'far xy' } });
  await page.getByLabel('Day').fill('2026-02-03');
  await next({ action_id: 'day', selected_date: '2026-02-03' });
  await page.getByLabel('Time').fill('14:30');
  await next({ action_id: 'time', selected_time: '14:30' });
  await page.getByRole('checkbox', { name: 'Green' }).check();
  await next({ action_id: 'boxes', selected_options: [{ value: 'green' }] });
  await page.getByRole('radio', { name: 'Right' }).check();
  await next({ action_id: 'radio', selected_option: { value: 'right' } });

  await choose('Asks first', 'Yes please');
  await page.getByRole('dialog', { name: 'Really?' }).getByRole('button', { name: 'No' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => page.getByRole('combobox', { name: 'Asks first' }).inputValue()).toBe('');
  await choose('Asks first', 'Yes please');
  await page.getByRole('dialog', { name: 'Really?' }).getByRole('button', { name: 'Yes' }).click();
  await next({ action_id: 'asked', selected_option: { value: 'yes please' } });
  expect(problems).toEqual([]);
});

test('a form accepts text, addresses, numbers, rich text and files, and shows missing fields', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const saved: Record<string, Record<string, object>>[] = [];
  await boltApp(sandbox, (app) => {
    app.shortcut('new-ticket', async ({ ack, body, client }) => {
      await ack();
      const input = (block_id: string, element: object) => ({
        type: 'input',
        block_id,
        label: plain(block_id),
        element: { action_id: 'in', ...element },
      });
      await client.views.open({
        trigger_id: body.trigger_id,
        view: {
          type: 'modal',
          callback_id: 'fields',
          title: plain('Fields'),
          submit: plain('Send'),
          blocks: [
            input('Mail', { type: 'email_text_input' }),
            input('Page', { type: 'url_text_input' }),
            input('Count', { type: 'number_input', is_decimal_allowed: false }),
            input('Story', { type: 'rich_text_input' }),
            input('Proof', { type: 'file_input', max_files: 1 }),
          ] as KnownBlock[],
        },
      });
    });
    app.view('fields', async ({ ack, view }) => {
      await ack();
      saved.push(view.state.values);
    });
  });
  const { page } = await browser.open(sandbox);
  await page.getByRole('button', { name: 'Shortcuts and commands' }).click();
  await page.getByRole('menuitem', { name: 'New ticket' }).click();
  const form = page.getByRole('dialog', { name: 'Fields' });
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByRole('alert').first().waitFor();
  expect(await form.getByRole('alert').count()).toBe(5);
  await form.getByRole('textbox', { name: 'Mail' }).fill('ada@acme.example');
  await form.getByRole('textbox', { name: 'Page' }).fill('https://acme.example');
  await form.getByRole('textbox', { name: 'Count' }).fill('3');
  await form.getByRole('textbox', { name: 'Story' }).fill('it is *dead*');
  await form
    .getByLabel('Proof')
    .setInputFiles({ name: 'proof.txt', mimeType: 'text/plain', buffer: Buffer.from('smoke') });
  await form.getByRole('button', { name: 'Remove proof.txt' }).waitFor();
  await form.getByRole('button', { name: 'Send' }).click();
  await form.waitFor({ state: 'detached' });
  expect(saved).toMatchObject([
    {
      Mail: { in: { value: 'ada@acme.example' } },
      Page: { in: { value: 'https://acme.example' } },
      Count: { in: { value: '3' } },
      Story: { in: { rich_text_value: { type: 'rich_text' } } },
      Proof: { in: { files: [{ name: 'proof.txt', user: ADA }] } },
    },
  ]);
  // A file for a form is not shared anywhere.
  expect(await sandbox.control.messages('it-help', 'ada')).toEqual([]);
});

test('a view keeps the typed text when the app updates it', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const input = (name: string): KnownBlock => ({
    type: 'input',
    block_id: name,
    label: plain(name),
    element: { type: 'plain_text_input', action_id: 'in' },
  });
  const view = (...blocks: KnownBlock[]) => ({
    type: 'modal' as const,
    title: plain('Grows'),
    submit: plain('Send'),
    blocks,
  });
  const more: KnownBlock = {
    type: 'actions',
    elements: [{ type: 'button', action_id: 'more', text: plain('More fields') }],
  };
  await boltApp(sandbox, (app) => {
    app.shortcut('new-ticket', async ({ ack, body, client }) => {
      await ack();
      await client.views.open({ trigger_id: body.trigger_id, view: view(input('First'), more) });
    });
    app.action({ type: 'block_actions', action_id: 'more' }, async ({ ack, body, client }) => {
      await ack();
      await client.views.update({
        view_id: body.view?.id ?? '',
        view: view(input('First'), input('Second')),
      });
    });
  });
  const { page } = await browser.open(sandbox);
  await page.getByRole('button', { name: 'Shortcuts and commands' }).click();
  await page.getByRole('menuitem', { name: 'New ticket' }).click();
  const form = page.getByRole('dialog', { name: 'Grows' });
  await form.getByRole('textbox', { name: 'First' }).fill('typed before');
  await form.getByRole('button', { name: 'More fields' }).click();
  await form.getByRole('textbox', { name: 'Second' }).waitFor();
  expect(await form.getByRole('textbox', { name: 'First' }).inputValue()).toBe('typed before');
});
