import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { startForeignService } from '../harness/foreign-service.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { startTestService } from '../service/harness.ts';
import { isAsWide, openSettings, openSettingsAsAdmin } from './open-page.ts';

const browser = useBrowser();
const { general } = DEMO.channels;

test('a channel linked at the desk opens tickets of its queue until it is unlinked there; then the workspace’s settings apply', async () => {
  const world = await startWorld({ CHAT_SETTINGS_SECONDS: '0' });
  const { chat, service } = world;
  const { bot } = await chat.state();
  const ask = async (text: string) => {
    const { ts } = await chat.say('general', 'ada', text);
    return { ts, ticket: await ticketAt(service, ts) };
  };
  const workspace = async () => (await service.listWorkspaces({})).items[0];
  const linked = async () =>
    (await workspace())?.chatTriageChannels.find(({ channelId }) => channelId === general.id);
  const { page, problems } = await openSettingsAsAdmin(browser, world, 'channels');
  const row = page.locator('.channels > li', { hasText: '#general' });
  const notice = (words: string) => row.getByText(words).waitFor();

  await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor();
  await page.locator('.channels > li', { hasText: 'it-help' }).getByText('opens a ticket of').waitFor();
  await page.locator('.channels > li', { hasText: 'it-triage' }).getByText('an internal note').waitFor();
  expect(await axeFindings(page)).toEqual([]);

  await page.getByLabel('Id of the channel').fill(general.id);
  await page.getByLabel('Its name').fill('#general');
  await page.locator('select[name="queue"]').selectOption({ label: 'People (PPL)' });
  await page.getByRole('button', { name: 'Link channel' }).click();
  await notice('opens a ticket of People');
  expect(await page.getByLabel('Id of the channel').inputValue()).toBe('');
  expect(await linked()).toMatchObject({ contextTeamId: DEMO.team.id });
  expect((await ask(`<@${bot}> my contract`)).ticket.code).toMatch(/^PPL-/);

  await page.getByLabel('Queue of general').selectOption({ label: 'IT (IT)' });
  await notice('opens a ticket of IT;');
  expect((await ask(`<@${bot}> my lamp`)).ticket.code).toMatch(/^IT-/);
  await page.getByLabel('What general is for').selectOption({ label: 'Triage channel' });
  await notice('Private tickets are not shown');
  expect(await linked()).toMatchObject({ type: 'TRIAGE', channelName: 'general', private: false });

  // Without a link, the workspace's queue applies.
  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Unlink general' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await linked()).toBeUndefined();
  await page.getByLabel('Direct messages, and channels').selectOption({ label: 'People (PPL)' });
  await until('the queue of all else', async () => (await workspace())?.defaultQueueId?.length);
  expect((await ask(`<@${bot}> my badge`)).ticket.code).toMatch(/^PPL-/);

  // A custom emoji action, and the workspace's settings in chat.
  await page.getByLabel('Emoji name').fill(':rocket:');
  await page.getByLabel('What it does').selectOption({ label: 'sets the priority: Urgent' });
  await page.getByRole('button', { name: 'Add emoji' }).click();
  await page.locator('li', { hasText: ':rocket:' }).getByText('sets the priority: Urgent').waitFor();
  expect((await workspace())?.chatEmojiActions).toEqual({
    rocket: { action: 'priority', value: 'URGENT' },
  });
  await page.getByRole('button', { name: 'Remove :rocket:' }).click();
  await page.getByRole('button', { name: 'Remove :rocket:' }).waitFor({ state: 'detached' });
  await page.getByLabel('Name of the bot').fill('Helper');
  await page.getByRole('button', { name: 'Save name' }).click();
  await until('the bot’s name', async () => (await workspace())?.chatBotUsername === 'Helper');
  for (const key of ['visibleInChat', 'disableChatUserSync'] as const) {
    const before = (await workspace())?.settings?.[key];
    await page.locator(`[name="workspace-${key}"]`).click();
    await until(key, async () => (await workspace())?.settings?.[key] === !before);
  }
  expect(problems.filter((each) => !each.includes('401'))).toEqual([]);

  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([await isAsWide(page), await axeFindings(page)]).toEqual([true, []]);
}, 120_000);

test('if the service does not let the desk link channels, the page says so and shows the linked ones', async () => {
  const service = await startTestService();
  const { body: queue } = await service.call('POST', '/queues', {
    body: { name: 'Laboratory', prefix: 'LAB' },
  });
  const link = { channelId: 'C1', channelName: 'lab', queueId: queue.id };
  await service.call('PUT', '/chat-channels', { body: link });
  const strange = { missing: 404, lists: 'array', pairs: 'kept', events: 'id' } as const;
  const foreign = await startForeignService(service.url.replace(/\/api$/, ''), strange);
  const { page } = await openSettings(browser, { ...service, url: `${foreign.url}/api` }, 'channels');
  await page.locator('.channels > li', { hasText: '#lab' }).waitFor();
  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Unlink lab' }).click();
  await page.locator('.refusal', { hasText: 'does not let the desk unlink channels' }).waitFor();
  await page.getByLabel('Id of the channel').fill('C2');
  await page.getByRole('button', { name: 'Link channel' }).click();
  await page.locator('.refusal', { hasText: 'does not let the desk link channels' }).waitFor();
  expect(await page.getByRole('button', { name: 'Link channel' }).count()).toBe(0);
});
