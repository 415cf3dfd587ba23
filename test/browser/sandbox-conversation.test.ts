import { expect, test } from 'vitest';

import { ADA, boltApp, HELP, openSandbox } from '../sandbox/open-sandbox.ts';
import { helpDesk, PAGE_SEED } from './page-app.ts';
import { useBrowser } from './page-browser.ts';

const browser = useBrowser();

test('a whole conversation: mention, card, form with an error, reply, edit, reaction, another person, Home, inspector', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const seen: string[] = [];
  await boltApp(sandbox, (app) => helpDesk(app, seen));
  const { page, problems } = await browser.open(sandbox);
  const thread = page.getByRole('complementary', { name: 'Thread' });

  // The mention is completed while it is typed.
  const composer = page.getByRole('textbox', { name: 'Message #it-help' });
  await composer.pressSequentially('@desk');
  await page.getByRole('option', { name: '@deskbridge' }).waitFor();
  await page.keyboard.press('Enter');
  await composer.pressSequentially('my laptop does not start');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^1 reply/ }).click();
  await thread.getByRole('heading', { name: 'IT-1 Laptop does not start' }).waitFor();

  // The form: an error is shown at its field, with the typed text; then it is saved.
  await thread.getByRole('button', { name: 'Details' }).click();
  const modal = page.getByRole('dialog', { name: 'Ticket' });
  const title = modal.getByRole('textbox', { name: 'Title' });
  await title.fill('Bad');
  await modal.getByRole('combobox', { name: 'Priority' }).click();
  await page.getByRole('option', { name: 'Urgent' }).click();
  await modal.getByRole('button', { name: 'Save' }).click();
  await modal.getByRole('alert').getByText('Say a little more, please.').waitFor();
  expect(await title.inputValue()).toBe('Bad');
  expect(await title.getAttribute('aria-invalid')).toBe('true');
  await title.fill('Battery is dead');
  await modal.getByRole('combobox', { name: 'Device' }).click();
  await page.keyboard.type('Think');
  await page.getByRole('option', { name: 'ThinkPad X1' }).click();
  await modal.getByRole('button', { name: 'Save' }).click();
  await modal.waitFor({ state: 'detached' });
  await thread.getByText('Saved as “Battery is dead”').waitFor();
  expect(seen).toEqual(['saved Battery is dead, urgent']);

  // A reply, edited, with a reaction.
  await thread.getByRole('textbox', { name: 'Reply in the thread' }).fill('it is urgnt');
  await page.keyboard.press('Enter');
  await thread.getByText('it is urgnt').waitFor();
  await page.keyboard.press('ArrowUp');
  await thread.getByRole('textbox', { name: 'Edit the message' }).fill('it is urgent');
  await page.keyboard.press('Enter');
  await thread.getByText('(edited)').waitFor();
  const reply = thread.locator('.message', { hasText: 'it is urgent' });
  await reply.hover();
  await reply.getByRole('button', { name: 'More reactions' }).click();
  await page.getByRole('searchbox', { name: 'Search emoji' }).fill('eyes');
  await page.keyboard.press('Enter');
  await sandbox.control.waitForMessage(
    HELP,
    ({ text, reactions }) => text === 'it is urgent' && reactions.some(({ name }) => name === 'eyes'),
  );
  await reply.getByRole('button', { name: /^eyes, 1/ }).waitFor();

  // The other person adds the same reaction.
  await page.getByRole('radio', { name: 'Ben Okafor' }).check();
  await page.getByRole('button', { name: /^\d repl/ }).click();
  await reply.getByRole('button', { name: /^eyes, 1/ }).click();
  await reply.getByRole('button', { name: /^eyes, 2/ }).waitFor();

  // Each person has their own Home in the app, and a press there redraws it at once.
  await page.getByRole('button', { name: 'deskbridge', exact: true }).click();
  await page.getByRole('tab', { name: 'Home' }).click();
  await page.getByRole('heading', { name: 'Your tickets' }).waitFor();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('you pressed 1 times').waitFor();

  // The inspector shows events and calls.
  await page.getByRole('button', { name: 'Inspector' }).click();
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  for (const name of ['views.open', 'view_submission', 'block_actions', 'app_mention'])
    await inspector.locator('.row-name', { hasText: name }).first().waitFor();
  await inspector.getByRole('searchbox', { name: 'Filter' }).fill('say a little more');
  await inspector.getByText('app_mention').waitFor({ state: 'detached' });
  const row = inspector.locator('.row', { hasText: 'view_submission' });
  await row.locator('summary').click();
  await row.getByText('Say a little more, please.').waitFor();
  expect(problems).toEqual([]);
});

test('views stack: Escape goes one step back, the cross closes all, and the app is notified', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const seen: string[] = [];
  await boltApp(sandbox, (app) => helpDesk(app, seen));
  const { page } = await browser.open(sandbox);
  await page.getByRole('button', { name: 'Shortcuts and commands' }).click();
  await page.getByRole('menuitem', { name: 'New ticket' }).click();
  const form = page.getByRole('dialog', { name: 'Ticket' });
  await form.getByRole('textbox', { name: 'Title' }).fill('kept while away');
  await form.getByRole('button', { name: 'History' }).click();
  await page.getByRole('dialog', { name: 'History' }).getByText('Opened by Ada').waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor();
  expect(await form.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('kept while away');
  await form.getByRole('button', { name: 'History' }).click();
  await page.getByRole('dialog', { name: 'History' }).getByRole('button', { name: 'Close' }).first().click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => seen).toEqual(['new-ticket', 'closed']);
});

test('a button with a confirmation dialog sends its action only after the user confirms; an overflow menu sends its choice', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const seen: string[] = [];
  await boltApp(sandbox, (app) => helpDesk(app, seen));
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: '@deskbridge hello' });
  const { page } = await browser.open(sandbox);
  await page.getByRole('button', { name: /^1 reply/ }).click();
  const thread = page.getByRole('complementary', { name: 'Thread' });
  await thread.getByRole('button', { name: 'Close', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Close the ticket?' });
  await question.getByRole('button', { name: 'Keep it' }).click();
  await question.waitFor({ state: 'detached' });
  await thread.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Mute' }).click();
  await expect.poll(() => seen).toEqual(['more mute']);
  await thread.getByRole('button', { name: 'Close', exact: true }).click();
  await question.getByRole('button', { name: 'Close it' }).click();
  await expect.poll(() => seen).toEqual(['more mute', 'close']);
});

test('channels are created, left and archived, and files are sent, from the page', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const { page, problems } = await browser.open(sandbox);
  await page.getByRole('button', { name: 'Create a channel' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Facilities Help');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: '#facilities-help', exact: true }).waitFor();

  await page.locator('#channel .composer input[type=file]').setInputFiles(
    ['notes.txt', 'more.txt'].map((name) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from('hello'),
    })),
  );
  await page.getByRole('textbox', { name: 'Message #facilities-help' }).fill('as discussed');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: /notes\.txt/ }).waitFor();
  const [message] = (await sandbox.control.messages('facilities-help', 'ada')).filter(({ files }) => files);
  expect(message?.text).toBe('as discussed');
  expect(message?.files?.map(({ name }) => name)).toEqual(['notes.txt', 'more.txt']);

  await page.getByRole('button', { name: /details of the channel/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await page
    .getByRole('dialog', { name: 'Archive #facilities-help?' })
    .getByRole('button', { name: 'Archive' })
    .click();
  await page.getByText('is archived: nobody can write in it').waitFor();

  await page.getByRole('button', { name: 'quiet', exact: true }).click();
  await page.getByRole('button', { name: /details of the channel/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await page.getByText('Ada Reyes is not a member of #quiet').waitFor();
  expect(problems).toEqual([]);
});

test('a channel is shown before its messages have loaded, so its buttons never belong to another channel', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  await sandbox.control.message({ channel: 'quiet', user: 'ada', text: 'loaded late' });
  const { page } = await browser.open(sandbox);
  await page.getByRole('button', { name: /^quiet/ }).click();
  await page.getByText('loaded late').waitFor();
  await page.getByRole('button', { name: /^it-help/ }).click();
  await page.getByRole('heading', { name: '#it-help', exact: true }).waitFor();
  const loading = Promise.withResolvers<undefined>();
  await page.route('**/_control/messages/**', async (route) => {
    await loading.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: /^quiet/ }).click();
  await page.getByRole('button', { name: /details of the channel/ }).click();
  await page.getByRole('dialog', { name: '#quiet' }).getByRole('button', { name: 'Close' }).click();
  loading.resolve(undefined);
  await page.getByText('loaded late').waitFor();
});

test('messages that arrive while the user is elsewhere are counted in the list and marked in the channel', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const { page } = await browser.open(sandbox);
  await sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'read by Ada' });
  await page.getByText('read by Ada').waitFor();
  await page.getByRole('button', { name: 'quiet', exact: true }).click();
  await page.getByRole('heading', { name: '#quiet', exact: true }).waitFor();
  await sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'news for @ada' });
  await page.getByRole('button', { name: /it-help 1 for you/ }).click();
  await page.getByText('news for').waitFor();
  const lines = page.locator('#channel .messages > li');
  const kinds = await Promise.all([0, 1, 2, 3].map((at) => lines.nth(at).getAttribute('class')));
  expect(kinds).toEqual(['day', 'message', 'day new', 'message']);
});

test('a reply can also go to the channel, and a file dropped on the thread goes with a reply', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const { message } = await sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'root' });
  await sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'r1', thread_ts: message.ts });
  const { page, problems } = await browser.open(sandbox);
  await page.getByRole('button', { name: /^1 reply/ }).click();
  const thread = page.getByRole('complementary', { name: 'Thread' });
  await thread.getByRole('checkbox', { name: 'Also send to the channel' }).check();
  await thread.getByRole('textbox', { name: 'Reply in the thread' }).fill('for all to see');
  await page.keyboard.press('Enter');
  await page.getByRole('main').getByText('for all to see').waitFor();
  await page.getByRole('main').getByText('replied to a thread').waitFor();
  expect(await thread.getByRole('checkbox').isChecked()).toBe(false);

  const dataTransfer = await page.evaluateHandle(
    `(() => { const data = new DataTransfer(); data.items.add(new File(['log'], 'dropped.txt')); return data; })()`,
  );
  await page.dispatchEvent('#thread', 'drop', { dataTransfer });
  await thread.getByText('dropped.txt').waitFor();
  await thread.getByRole('button', { name: 'Send' }).click();
  await thread.getByRole('link', { name: /dropped\.txt/ }).waitFor();
  const sent = await sandbox.control.messages('it-help');
  expect(sent.at(-1)).toMatchObject({ thread_ts: message.ts, files: [{ name: 'dropped.txt' }] });
  expect(problems).toEqual([]);
});

test('what is chosen and attached while a reply is on its way is for the next one', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const { message } = await sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'root' });
  await sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'r1', thread_ts: message.ts });
  const { page } = await browser.open(sandbox);
  await page.getByRole('button', { name: /^1 reply/ }).click();
  const thread = page.getByRole('complementary', { name: 'Thread' });
  const gate = Promise.withResolvers<undefined>();
  await page.route('**/_control/message', async (route) => {
    await gate.promise;
    await route.continue();
  });
  const asked = page.waitForRequest('**/_control/message');
  const also = thread.getByRole('checkbox', { name: 'Also send to the channel' });
  await thread.getByRole('textbox', { name: 'Reply in the thread' }).fill('first');
  await page.keyboard.press('Enter');
  await asked;
  await also.check();
  const answered = page.waitForResponse('**/_control/message');
  gate.resolve(undefined);
  await (await answered).finished();
  await thread.getByText('first').waitFor();
  await thread.getByRole('textbox', { name: 'Reply in the thread' }).fill('second');
  expect(await also.isChecked()).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByRole('main').getByText('second').waitFor();
});

test('a late answer to what another person read is not shown', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  await boltApp(sandbox, (app) => helpDesk(app));
  await sandbox.control.command({ channel: 'it-help', user: 'ada', command: '/ticket', text: 'help' });
  const { page } = await browser.open(sandbox);
  await page.getByText('you said help').waitFor();
  const gate = Promise.withResolvers<undefined>();
  const read = (url: URL) => url.pathname.startsWith('/_control/messages/');
  await page.route(read, async (route) => {
    const response = await route.fetch();
    if (route.request().url().endsWith(`as=${ADA}`)) await gate.promise;
    await route.fulfill({ response });
  });
  const url = `${sandbox.url}/_control/messages/${HELP}?as=${ADA}`;
  const asked = page.waitForRequest(url);
  await page.getByRole('button', { name: 'quiet', exact: true }).click();
  await page.getByRole('button', { name: 'it-help', exact: true }).click();
  await asked;
  await page.getByRole('radio', { name: 'Ben Okafor' }).check();
  await page.getByText('you said help').waitFor({ state: 'detached' });
  await sandbox.control.message({ channel: 'it-help', user: 'ben', text: 'read by Ben' });
  const answered = page.waitForResponse(url);
  gate.resolve(undefined);
  await (await answered).finished();
  await page.getByText('read by Ben').waitFor();
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  expect(await page.getByText('you said help').count()).toBe(0);
});

test('a message shortcut opens its form; deleting a message asks for confirmation', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const seen: string[] = [];
  await boltApp(sandbox, (app) => helpDesk(app, seen));
  await sandbox.control.message({ channel: 'it-help', user: 'ada', text: 'a message' });
  const { page } = await browser.open(sandbox);
  const message = page.locator('.message', { hasText: 'a message' });
  await message.hover();
  await message.getByRole('button', { name: 'More for this message' }).click();
  await page.getByRole('menuitem', { name: 'Make it a ticket' }).click();
  await page.getByRole('dialog', { name: 'Ticket' }).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => seen).toEqual(['to-ticket', 'closed']);
  await message.hover();
  await message.getByRole('button', { name: 'Delete' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await sandbox.control.messages('it-help')).toHaveLength(1);
});

test('an open modal belongs to the page where it was opened: neither another browser nor a reload shows it again', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  await boltApp(sandbox, (app) => helpDesk(app));
  const { page } = await browser.open(sandbox);
  const composer = page.getByRole('textbox', { name: 'Message #it-help' });
  await composer.fill('@deskbridge my laptop does not start');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^1 reply/ }).click();
  const thread = page.getByRole('complementary', { name: 'Thread' });
  await thread.getByRole('button', { name: 'Details' }).click();
  const modal = page.getByRole('dialog', { name: 'Ticket' });
  await modal.waitFor();

  const { page: another } = await browser.open(sandbox);
  await another.getByRole('button', { name: /^1 reply/ }).waitFor();
  expect(await another.getByRole('dialog').count()).toBe(0);
  expect(await modal.isVisible()).toBe(true);

  await page.reload();
  await page.getByRole('button', { name: /^1 reply/ }).click();
  await thread.getByRole('button', { name: 'Details' }).click();
  await modal.waitFor();
  await modal.getByRole('button', { name: 'Cancel' }).click();
  await modal.waitFor({ state: 'detached' });
});

test('times are drawn in the time zone of the acting person, wherever the browser is', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  // 08:00 UTC: nine o'clock for Ada in Madrid and for Ben in Lagos in winter, ten and nine in summer.
  const at = Date.UTC(2026, 6, 1, 8) / 1000;
  const text = `Due <!date^${at}^{date_num} {time}|then>`;
  await sandbox.control.botMessage({ channel: 'it-help', bot: 'Clock', text });
  const { page } = await browser.open(sandbox);
  await page.getByText(/Due 2026-07-01 10:00\sAM/u).waitFor();
  await page.getByRole('radio', { name: 'Ben Okafor' }).check();
  await page.getByText(/Due 2026-07-01 9:00\sAM/u).waitFor();
});

test('users of another organisation can act in the channels that are shared with them', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  await boltApp(sandbox, (app) => helpDesk(app));
  await sandbox.control.addPerson({ name: 'vera', teamId: 'T0PARTNER' });
  await sandbox.control.share({ channel: 'it-help' });
  await sandbox.control.join({ channel: 'it-help', user: 'vera' });
  const { page, problems } = await browser.open(sandbox);
  await page.getByRole('radio', { name: 'vera T0PARTNER' }).check();
  const channels = page.getByRole('navigation', { name: 'Workspace' });
  await channels.getByRole('button', { name: 'quiet' }).waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Message #it-help' }).fill('hello from the other side');
  await page.keyboard.press('Enter');
  await page.getByText('hello from the other side').waitFor();
  await page.getByRole('button', { name: /members/ }).click();
  await page.getByText('Shared with T0PARTNER').waitFor();
  expect(problems).toEqual([]);
});
