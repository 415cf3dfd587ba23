import { expect, test } from 'vitest';

import { openSandbox, webClient } from '../sandbox/open-sandbox.ts';
import { useBrowser } from './page-browser.ts';

const browser = useBrowser();

test('what the app offers and what it is doing stand above where one writes, and a press says it', async () => {
  const sandbox = await openSandbox();
  const client = webClient(sandbox);
  const { channel } = await sandbox.control.openHome({ user: 'ada', tab: 'messages' });
  const { page, problems } = await browser.open(sandbox);
  await page
    .getByRole('button', { name: /deskbridge/ })
    .first()
    .click();
  await page.getByRole('tab', { name: 'Messages' }).click();
  await client.assistant.threads.setSuggestedPrompts({
    channel_id: channel,
    title: 'What can I do for you?',
    prompts: [{ title: 'Open a request', message: 'I want to open a request' }],
  });
  const prompts = page.getByRole('group', { name: 'What can I do for you?' });
  await prompts.getByRole('button', { name: 'Open a request' }).click();
  await page.locator('.message', { hasText: 'I want to open a request' }).waitFor();
  await prompts.waitFor({ state: 'detached' });
  const [said] = await sandbox.control.messages(channel);
  await client.assistant.threads.setStatus({
    channel_id: channel,
    thread_ts: said?.ts ?? '',
    status: 'is looking …',
  });
  await page.getByRole('status').getByText('deskbridge is looking …').waitFor();
  expect(problems).toEqual([]);
});
