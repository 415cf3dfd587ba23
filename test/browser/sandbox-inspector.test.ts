import { expect, test } from 'vitest';

import { boltApp, HELP, openSandbox, webClient } from '../sandbox/open-sandbox.ts';
import { helpDesk, PAGE_SEED } from './page-app.ts';
import { useBrowser } from './page-browser.ts';

const browser = useBrowser();

test('a fault added on the page takes effect, is shown on every screen until it has struck, and marks the failed call', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const { page, problems } = await browser.open(sandbox);
  await page.getByRole('button', { name: 'Inspector' }).click();
  await page.getByRole('tab', { name: 'Faults' }).click();
  await page.getByRole('button', { name: '429 once' }).click();
  const bar = page.locator('#bar');
  await bar.getByText('rate_limited on * (struck 0×)').waitFor();
  const refused = await webClient(sandbox)
    .apiCall('chat.postMessage', { channel: HELP, text: 'too soon' })
    .catch((error: unknown) => String(error));
  expect(refused).toContain('rate');
  await bar.waitFor({ state: 'hidden' });
  await page.getByRole('tab', { name: 'Traffic' }).click();
  await page.locator('.row', { hasText: 'chat.postMessage' }).getByText('rate_limited').first().waitFor();
  await webClient(sandbox)
    .apiCall('chat.postMessage', { channel: 'C0NOWHERE', text: 'lost' })
    .catch(() => undefined);
  await page.locator('.row .mark.bad', { hasText: 'channel_not_found' }).first().waitFor();
  expect(problems).toEqual([]);
});

test('chaos has the seed of the form, is shown on every screen, and is turned off by one press', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const { page, problems } = await browser.open(sandbox);
  await page.getByRole('button', { name: 'Inspector' }).click();
  await page.getByRole('tab', { name: 'Faults' }).click();
  const bar = page.locator('#bar');
  await page.getByRole('textbox', { name: 'Seed' }).fill('42');
  await page.getByRole('button', { name: 'Begin' }).click();
  await bar.getByText('chaos at 30%, seed 42').waitFor();
  expect(sandbox.control.listFaults().chaos?.seed).toBe(42);
  await bar.getByRole('button', { name: 'Turn all off' }).click();
  await bar.waitFor({ state: 'hidden' });
  expect(sandbox.control.listFaults().chaos).toBeNull();
  expect(problems).toEqual([]);
});

test('a custom fault has the values of the form', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const { page } = await browser.open(sandbox);
  await page.getByRole('button', { name: 'Inspector' }).click();
  await page.getByRole('tab', { name: 'Faults' }).click();
  await page.getByText('Custom fault').last().click();
  const form = page.locator('.fault-form[open]');
  await form.getByLabel('What').selectOption('delay');
  await form.getByLabel('Milliseconds').fill('750');
  await form.getByLabel('Channel').selectOption(HELP);
  await form.getByLabel('Times').fill('2');
  await form.getByRole('button', { name: 'Switch on' }).click();
  await page.locator('.fault-list').getByText('on message events 2×').waitFor();
  expect(sandbox.control.listFaults().events).toMatchObject([
    { kind: 'delay', event: 'message', ms: 750, channel: HELP, times: 2 },
  ]);
});

test('the clock is moved forward and reset from the page', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const { page } = await browser.open(sandbox);
  await page.getByRole('button', { name: 'Inspector' }).click();
  await page.getByRole('tab', { name: 'Clock' }).click();
  await page.getByRole('button', { name: '+ 1h' }).click();
  await page.locator('#bar').getByText('the clock is 1 h ahead').waitFor();
  expect(sandbox.control.showClock().ahead).toBeGreaterThan(3_590);
  await page.getByRole('button', { name: 'Reset to now' }).click();
  await page.locator('#bar').waitFor({ state: 'hidden' });
});

test('the page says when no app is connected', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const app = await boltApp(sandbox, (bolt) => helpDesk(bolt));
  const { page } = await browser.open(sandbox);
  await page.getByText('deskbridge is connected', { exact: true }).waitFor();
  await app.stop();
  await page.getByText(/deskbridge is not connected/).waitFor();
});

test('the page says that the sandbox cannot be reached, until it can be again', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  const { page } = await browser.open(sandbox);
  const bar = page.locator('#bar');
  expect(await bar.isVisible()).toBe(false);
  await page.route(/\/_live\?/, (route) => route.abort());
  // The page listens anew as somebody else.
  await page.getByRole('radio', { name: 'Ben Okafor' }).check();
  await bar.getByText('The sandbox cannot be reached: trying again').waitFor();
  await page.unroute(/\/_live\?/);
  await bar.waitFor({ state: 'hidden' });
});
