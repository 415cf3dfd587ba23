import { expect, test } from 'vitest';

import { ADA, boltApp, HELP, openSandbox, webClient } from '../sandbox/open-sandbox.ts';
import { useBrowser } from './page-browser.ts';

const browser = useBrowser();

test('a message typed on the page reaches the app, and the reply appears in the thread without reloading', async () => {
  const sandbox = await openSandbox();
  await boltApp(sandbox, (app) => {
    app.event('app_mention', async ({ event, say }) => {
      await say({ text: 'IT-1 is open', thread_ts: event.ts, username: 'Mira Lind' });
    });
  });
  const { page, problems } = await browser.open(sandbox);
  await page.getByRole('textbox', { name: 'Message #it-help' }).fill('@deskbridge my screen is blue');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: '1 reply' }).click();
  const thread = page.getByRole('complementary', { name: 'Thread' });
  await thread.getByText('IT-1 is open').waitFor();
  expect(await thread.getByText('APP', { exact: true }).count()).toBe(1);
  await thread.getByRole('textbox', { name: 'Reply in the thread' }).fill('thank you');
  await page.keyboard.press('Enter');
  await thread.getByText('thank you').waitFor();
  const texts = (await sandbox.control.messages('it-help')).map(({ text }) => text);
  expect(texts).toEqual(['<@U0BOTTT> my screen is blue', 'IT-1 is open', 'thank you']);
  expect(problems).toEqual([]);
});

test('a command typed on the page is answered only to the person who typed it', async () => {
  const sandbox = await openSandbox();
  await boltApp(sandbox, (app) => {
    app.command('/ticket', async ({ ack, command }) => ack(`you said ${command.text}`));
  });
  const { page } = await browser.open(sandbox);
  await page.getByRole('textbox', { name: 'Message #it-help' }).fill('/ticket help');
  await page.keyboard.press('Enter');
  await page.getByText('you said help').waitFor();
  expect(await page.getByText('Only visible to you').count()).toBe(1);
  await page.getByRole('radio', { name: 'Ben Okafor' }).check();
  await page.getByText('you said help').waitFor({ state: 'detached' });
});

test('reactions, editing and deleting work from the page', async () => {
  const sandbox = await openSandbox();
  const { page } = await browser.open(sandbox);
  await page.getByRole('textbox', { name: 'Message #it-help' }).fill('first words');
  await page.keyboard.press('Enter');
  const message = page.locator('.message', { hasText: 'words' });
  await message.hover();
  await message.getByRole('button', { name: 'React with ticket' }).click();
  await sandbox.control.waitForMessage(HELP, ({ reactions }) =>
    reactions.some(({ name, users }) => name === 'ticket' && users.includes(ADA)),
  );
  await message.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('second words');
  await page.keyboard.press('Enter');
  await page.getByText('(edited)').waitFor();
  await message.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await sandbox.control.waitForMessages(HELP, (all) => all.length === 0);
  await message.waitFor({ state: 'detached' });
});

test('a message stays in edit mode while others react to it', async () => {
  const sandbox = await openSandbox();
  const { message } = await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'draft' });
  const { page } = await browser.open(sandbox);
  await page.getByText('draft').hover();
  await page.getByRole('button', { name: 'Edit' }).click();
  const editor = page.getByRole('textbox', { name: 'Edit the message' });
  await editor.fill('half way');
  await sandbox.control.reaction({ channel: 'it-help', user: 'ben', ts: message.ts, name: 'eyes' });
  await sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'after the reaction' });
  await page.getByText('after the reaction').waitFor();
  expect(await editor.inputValue()).toBe('half way');
  await editor.press('Escape');
  await page.getByRole('button', { name: /^eyes, 1/ }).waitFor();
});

test('buttons and menus of a card work, and the card changes in place', async () => {
  const sandbox = await openSandbox();
  const card = (status: string) => [
    { type: 'section', text: { type: 'mrkdwn', text: `*IT-7* is ${status}` } },
    {
      type: 'actions',
      elements: [
        {
          type: 'static_select',
          action_id: 'status',
          placeholder: { type: 'plain_text' as const, text: 'Set status' },
          options: ['Open', 'Done'].map((value) => ({
            text: { type: 'plain_text' as const, text: value },
            value,
          })),
        },
      ],
    },
  ];
  await boltApp(sandbox, (app) => {
    app.action({ type: 'block_actions', action_id: 'status' }, async ({ ack, body, action, client }) => {
      await ack();
      if (action.type !== 'static_select') return;
      await client.chat.update({
        channel: body.channel?.id ?? '',
        ts: body.message?.ts ?? '',
        text: 'card',
        blocks: card(action.selected_option.value),
      });
    });
  });
  await webClient(sandbox).chat.postMessage({ channel: HELP, text: 'card', blocks: card('Open') });
  const { page } = await browser.open(sandbox);
  await page.getByText('IT-7 is Open').waitFor();
  await page.getByRole('combobox', { name: 'Set status' }).click();
  await page.getByRole('option', { name: 'Done' }).click();
  await page.getByText('IT-7 is Done').waitFor();
});

test('user text never becomes markup', async () => {
  const sandbox = await openSandbox();
  const evil = '<img src=x onerror="document.title=\'taken\'"> <b>bold</b> javascript:alert(1)';
  await sandbox.control.message({ channel: 'it-help', user: 'ben', text: evil });
  await webClient(sandbox).chat.postMessage({
    channel: HELP,
    text: 'x',
    username: evil,
    blocks: [
      { type: 'markdown', text: `${evil} [press](javascript:alert(1))` },
      { type: 'section', text: { type: 'mrkdwn', text: '<javascript:alert(1)|press> &lt;b&gt;' } },
    ],
  });
  const { page, problems } = await browser.open(sandbox);
  await page.getByText('<b>bold</b>').first().waitFor();
  expect(
    await page.locator('.messages img[src="x"], .messages b, .messages a[href^="javascript"]').count(),
  ).toBe(0);
  expect(await page.title()).toContain('sandbox workspace');
  const policy = (await fetch(sandbox.url)).headers.get('content-security-policy');
  expect(policy).toContain("default-src 'self'");
  expect(policy).not.toContain('unsafe');
  expect(problems).toEqual([]);
});

test('the keyboard alone reaches the composer, the people and a thread; the page fits a phone', async () => {
  const sandbox = await openSandbox();
  const { message } = await sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'root' });
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'reply', thread_ts: message.ts });
  const { page } = await browser.open(sandbox);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.type('typed by keyboard');
  await page.keyboard.press('Enter');
  await page.getByText('typed by keyboard').waitFor();
  await page.getByRole('button', { name: '1 reply' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Thread' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('complementary', { name: 'Thread' }).waitFor({ state: 'hidden' });
  await page.setViewportSize({ width: 360, height: 740 });
  const wider = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
  expect(wider).toBe(false);
  await page.getByRole('button', { name: 'Channels and people' }).click();
  // A choice closes the menu, so the radio button is gone.
  await page.getByRole('radio', { name: 'Ben Okafor' }).click();
  await page.getByRole('navigation', { name: 'Workspace' }).waitFor({ state: 'hidden' });
});

test('direct messages with the app are one press away', async () => {
  const sandbox = await openSandbox();
  await boltApp(sandbox, (app) => {
    app.message(async ({ message, say }) => {
      if (message.subtype === undefined && message.bot_id === undefined) await say('how can I help?');
    });
  });
  const { page } = await browser.open(sandbox);
  await page.getByRole('button', { name: 'deskbridge', exact: true }).click();
  await page.getByRole('textbox', { name: 'Message deskbridge' }).fill('hello');
  await page.keyboard.press('Enter');
  await page.getByText('how can I help?').waitFor();
});
