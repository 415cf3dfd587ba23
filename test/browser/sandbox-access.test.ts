import { expect, test } from 'vitest';

import { axeFindings } from './browser.ts';
import { boltApp, openSandbox, webClient, HELP } from '../sandbox/open-sandbox.ts';
import { helpDesk, PAGE_SEED } from './page-app.ts';
import { useBrowser } from './page-browser.ts';

const browser = useBrowser();

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds nothing serious in channel, thread, form, Home and inspector, ${colorScheme}`, async () => {
    const sandbox = await openSandbox({ seed: PAGE_SEED });
    await boltApp(sandbox, (app) => helpDesk(app));
    const root = await sandbox.control.message({
      channel: 'it-help',
      user: 'ada',
      text: '@deskbridge `hello` https://acme.example',
    });
    await sandbox.control.waitForMessage('it-help', ({ thread_ts }) => thread_ts === root.message.ts);
    await sandbox.control.reaction({ channel: 'it-help', user: 'ada', ts: root.message.ts, name: 'eyes' });
    await sandbox.control.command({ channel: 'it-help', user: 'ada', command: '/ticket', text: 'help' });
    const { page } = await browser.open(sandbox, { colorScheme });
    await page.getByText('you said help').waitFor();
    expect(await axeFindings(page)).toEqual([]);

    await page.getByRole('button', { name: /^1 reply/ }).click();
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByRole('button', { name: 'Details' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);

    await thread.getByRole('button', { name: 'Details' }).click();
    const modal = page.getByRole('dialog', { name: 'Ticket' });
    await modal.getByRole('textbox', { name: 'Title' }).fill('Bad');
    await modal.getByRole('button', { name: 'Save' }).click();
    await modal.getByRole('alert').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await modal.getByRole('combobox', { name: 'Priority' }).click();
    await page.getByRole('option', { name: 'Urgent' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await modal.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Inspector' }).click();
    await page.locator('.row', { hasText: 'app_mention' }).locator('summary').click();
    sandbox.control.chaos({ seed: 1, intensity: 0 });
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Faults' }).click();
    await page.getByText('Custom fault').first().click();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Clock' }).click();
    expect(await axeFindings(page)).toEqual([]);

    await page.getByRole('button', { name: 'deskbridge', exact: true }).click();
    await page.getByRole('tab', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'Your tickets' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

const widths = `[document.documentElement.scrollWidth, window.innerWidth]`;

test('on a phone, the list, a thread, a form and the inspector each fill the screen', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  await boltApp(sandbox, (app) => helpDesk(app));
  const { page, problems } = await browser.open(sandbox, { width: 360, height: 740 });
  await page.getByRole('button', { name: 'Channels and people' }).click();
  await page.getByRole('button', { name: 'quiet', exact: true }).click();
  await page.getByRole('heading', { name: '#quiet', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Channels and people' }).click();
  await page.getByRole('button', { name: 'it-help', exact: true }).click();
  await page.getByRole('textbox', { name: 'Message #it-help' }).fill('@deskbridge on my phone');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: /^1 reply/ }).click();
  const thread = page.getByRole('complementary', { name: 'Thread' });
  await thread.getByRole('button', { name: 'Details' }).click();
  const modal = page.getByRole('dialog', { name: 'Ticket' });
  await modal.getByRole('textbox', { name: 'Title' }).fill('From a phone');
  await modal.getByRole('button', { name: 'Save' }).click();
  await thread.getByText('Saved as “From a phone”').waitFor();
  const [thin, screen] = await page.evaluate<[number, number]>(widths);
  expect(thin).toBe(screen);
  expect(await thread.boundingBox()).toMatchObject({ x: 0, width: 360 });
  sandbox.control.clock({ advance: '1h' });
  // It is on top of every pane; a press would fail if something covered it.
  await page.locator('#bar').getByText('the clock is 1 h ahead').click();
  await thread.getByRole('button', { name: 'Close the thread' }).click();
  await page.getByRole('button', { name: 'Inspector' }).click();
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await inspector.getByText('view_submission').waitFor();
  expect(await inspector.boundingBox()).toMatchObject({ x: 0, width: 360 });
  await inspector.getByRole('button', { name: 'Close the inspector' }).click();
  await page.getByRole('textbox', { name: 'Message #it-help' }).waitFor();
  expect(problems).toEqual([]);
});

test('the keyboard alone reaches a channel, a message, the elements of its card, and leaves a menu', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  await boltApp(sandbox, (app) => helpDesk(app));
  await sandbox.control.message({ channel: 'quiet', user: 'ben', text: 'first' });
  await sandbox.control.message({ channel: 'quiet', user: 'ada', text: 'second' });
  const { page } = await browser.open(sandbox);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('qui');
  await page.getByRole('option', { name: '#quiet' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '#quiet', exact: true }).waitFor();
  await page.getByText('second').waitFor();
  await page.locator('#composer-channel:focus').waitFor();
  await page.getByRole('log', { name: 'Messages in #quiet' }).focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  expect(await page.locator('.message:focus').textContent()).toContain('first');
  await page.keyboard.press('Enter');
  const toolbar = page.locator('.tools button:focus');
  expect(await toolbar.getAttribute('aria-label')).toBe('React with ticket');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await page.locator('[role=menuitem]:focus', { hasText: 'Make it a ticket' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  expect(await toolbar.getAttribute('aria-label')).toBe('More for this message');
  await page.keyboard.press('Escape');
  expect(await page.locator('textarea:focus').getAttribute('id')).toBe('composer-channel');
});

test('what is typed after a place is chosen by keys is for its composer, however late that and its messages come', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  await sandbox.control.message({ channel: 'quiet', user: 'ben', text: 'loaded late' });
  const { page } = await browser.open(sandbox);
  for (const [address, typed, place] of [
    ['**/_control/messages/**', 'qui', '#quiet'],
    ['**/_control/open', 'ben', 'Ben Okafor'],
  ] as const) {
    const gate = Promise.withResolvers<undefined>();
    await page.route(address, async (route) => {
      await gate.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(address);
    await page.keyboard.press('Control+k');
    await page.keyboard.type(typed);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await asked;
    await page.keyboard.type('hello');
    gate.resolve(undefined);
    const composer = page.getByRole('textbox', { name: `Message ${place}` });
    await expect.poll(() => composer.inputValue()).toBe('hello');
    await page.unroute(address);
  }
});

test('an unknown block is shown as folded JSON, and the known blocks around it are drawn', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  await webClient(sandbox).chat.postMessage({
    channel: HELP,
    text: 'blocks',
    blocks: [
      { type: 'section', text: { type: 'plain_text', text: 'before' } },
      { type: 'file', source: 'remote', external_id: 'x-1' },
      { type: 'section', text: { type: 'plain_text', text: 'after' } },
    ],
  });
  const { page } = await browser.open(sandbox);
  await page.getByText('before').waitFor();
  await page.getByText('Block “file”, not drawn here').click();
  await page.getByText('"external_id": "x-1"').waitFor();
  await page.getByText('after').waitFor();
});
