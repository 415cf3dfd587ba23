import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { startForeignService } from '../harness/foreign-service.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { startTestService } from '../service/harness.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { isAsWide } from './open-page.ts';
import { choose, openSettings, openSettingsAsAdmin, type } from './open-settings.ts';

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
  const row = page.getByRole('listitem', { name: 'general', exact: true });

  await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor();
  await page.getByRole('listitem', { name: 'it-help' }).getByText('opens a ticket of').waitFor();
  await page.getByRole('listitem', { name: 'it-triage' }).getByText('an internal note').waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);

  // D24: by its name, or by the link that Slack copies; nobody looks for an id.
  await page.getByRole('button', { name: 'Link channel' }).click();
  const dialog = page.getByRole('dialog').first();
  await choose(dialog, 'Channel', 'general');
  await dialog.getByRole('button', { name: 'Channel: general' }).waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await dialog.getByRole('button', { name: 'Paste a link instead' }).click();
  await dialog.getByLabel('Channel', { exact: true }).fill('#general');
  await dialog.getByText('Paste a channel’s link').waitFor();
  await dialog.getByLabel('Channel', { exact: true }).fill(`https://acme.slack.com/archives/${general.id}`);
  await dialog.getByLabel('Name of the channel').fill('#general');
  await choose(dialog, 'Queue', /^People/);
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await dialog.getByRole('button', { name: 'Link channel' }).click();
  await row.getByText('opens a ticket of People').waitFor();
  expect(await linked()).toMatchObject({ contextTeamId: DEMO.team.id });
  expect((await ask(`<@${bot}> my contract`)).ticket.code).toMatch(/^PPL-/);

  await choose(row, 'Queue', /^IT/);
  await row.getByText('opens a ticket of IT;').waitFor();
  expect((await ask(`<@${bot}> my lamp`)).ticket.code).toMatch(/^IT-/);
  await choose(row, 'Used for', 'Triage');
  await row.getByText('Private tickets are not shown').waitFor();
  expect(await linked()).toMatchObject({ type: 'TRIAGE', channelName: 'general', private: false });
  // Newly used so, its threads show everything; that is changed there, too.
  expect(await linked()).toMatchObject({ teamThread: 'everything' });
  await choose(row, 'Threads show', /^Replies/);
  await until('the setting', async () => (await linked())?.teamThread === 'answers');
  expect(await axeFindings(page, { every: true })).toEqual([]);

  // Unlinking can be taken back. Without a link, the workspace's queue applies.
  await row.getByRole('button', { name: 'Unlink general' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await linked()).toBeUndefined();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByText('Private tickets are not shown').waitFor();
  await row.getByRole('button', { name: 'Unlink general' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Everywhere else' }).click();
  await choose(page, 'Direct messages, and channels that are not linked, open tickets of', /^People/);
  await until('the queue of all else', async () => {
    const present = await workspace();
    const { items } = await service.listQueues({});
    return items.find(({ id }) => id === present?.defaultQueueId)?.name === 'People';
  });
  expect((await ask(`<@${bot}> my badge`)).ticket.code).toMatch(/^PPL-/);

  // The workspace's settings in chat, and a custom emoji action.
  await type(page.getByLabel('Name of the bot'), 'Helper');
  await until('the bot’s name', async () => (await workspace())?.chatBotUsername === 'Helper');
  for (const [key, name] of [
    ['visibleInChat', 'Use it in Slack'],
    ['disableChatUserSync', 'Do not create users'],
  ] as const) {
    const before = (await workspace())?.settings?.[key];
    await page.getByRole('switch', { name }).press(' ');
    await until(key, async () => (await workspace())?.settings?.[key] === !before);
  }
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.getByRole('tab', { name: 'Emoji' }).click();
  await page.getByRole('button', { name: 'Add emoji' }).click();
  await dialog.getByLabel('Emoji name').fill(':rocket:');
  await choose(dialog, 'What it does', 'Sets the priority: Urgent');
  await dialog.getByRole('button', { name: 'Add emoji' }).click();
  await page.getByRole('listitem').getByText('Sets the priority: Urgent').waitFor();
  expect((await workspace())?.chatEmojiActions).toEqual({
    rocket: { action: 'priority', value: 'URGENT' },
  });
  await page.getByRole('button', { name: 'Remove :rocket:' }).click();
  await page.getByRole('button', { name: 'Remove :rocket:' }).waitFor({ state: 'detached' });
  expect(problems.filter((each) => !each.includes('401'))).toEqual([]);

  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('tab', { name: 'Linked channels' }).click();
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
});

test('linking a channel to a queue that is not for everyone says who reads the threads in it, and the linked one is marked', async () => {
  const world = await startWorld({});
  const { items } = await world.service.listQueues({});
  const people = items.find(({ name }) => name === 'People');
  await world.service.updateQueue({ params: { id: people?.id ?? '' }, body: { visibility: 'agents' } });
  const { page, problems } = await openSettingsAsAdmin(browser, world, 'channels');
  await page.getByRole('button', { name: 'Link channel' }).click();
  const dialog = page.getByRole('dialog').first();
  const asked = dialog.getByText('everyone who reads this channel reads the threads in it');
  const joins = dialog.getByText('anyone can join the team');
  await choose(dialog, 'Channel', 'general');
  await choose(dialog, 'Queue', /^IT/);
  expect(await asked.count()).toBe(0);
  await choose(dialog, 'Queue', /^People/);
  await asked.waitFor();
  await dialog.getByText('Only agents read the tickets of People').waitFor();
  await dialog.getByText('/ticket settings own-channels on').waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await choose(dialog, 'Used for', /^Triage/);
  await joins.waitFor();
  expect(await asked.count()).toBe(0);
  await choose(dialog, 'Used for', /^Requests/);
  await dialog.getByRole('button', { name: 'Link channel' }).click();
  const row = page.getByRole('listitem', { name: 'general', exact: true });
  await row.getByText('everyone who reads this channel reads the threads in it').waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
  expect(problems.filter((each) => !each.includes('401'))).toEqual([]);
});

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
  await page.getByRole('button', { name: 'Unlink lab' }).click();
  await page.getByText('does not allow unlinking channels').waitFor();
  await page.getByRole('button', { name: 'Link channel' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Channel', { exact: true }).fill('C2');
  await dialog.getByRole('button', { name: 'Link channel' }).click();
  await dialog.getByText('does not allow linking channels').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByRole('button', { name: 'Link channel' }).count()).toBe(0);
  await page.getByRole('listitem', { name: 'lab' }).waitFor();
});
