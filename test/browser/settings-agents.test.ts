import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { axeFindings, useBrowser } from './browser.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { isAsWide, openSettingsAsAdmin } from './open-page.ts';

const browser = useBrowser();
const CHANNEL = 'it-help';

const refusal = (page: Page, text: string | RegExp) => page.locator('.refusal', { hasText: text }).waitFor();
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name }).waitFor();

test('B42 an AI agent that is set up at the desk answers in chat from its knowledge, and concurrent changes of others stay', async () => {
  const world = await startWorld();
  const { chat, service, urls } = world;
  const agentNamed = async (name: string) =>
    (await service.listAgents({ query: { limit: 100 } })).items.find((agent) => agent.name === name);
  const { page, problems } = await openSettingsAsAdmin(browser, world, 'knowledge');

  // Knowledge: a knowledge base with one document.
  await page.getByLabel('Name').fill('Coffee');
  await page.getByRole('button', { name: 'Create knowledge base' }).click();
  await heading(page, 'Coffee');
  await page.getByLabel('Title').fill('Descaling the coffee machine');
  await page.getByLabel('Text').fill('Press both buttons for ten seconds, then pour in the <blue> bottle.');
  await page.getByRole('button', { name: 'Add document' }).click();
  await page.locator('summary', { hasText: 'Descaling' }).click();
  await page.getByText('the <blue> bottle').waitFor();
  expect(await axeFindings(page)).toEqual([]);

  // The personality.
  await page.goto(`${urls.root}/#/settings/personalities/new`);
  await page.getByLabel('Who it is').fill('A barista');
  await page.getByLabel('Greeting').fill('Good morning!');
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'A barista' }).waitFor();

  // The AI agent itself starts disabled, and shows what is missing once it is enabled.
  await page.goto(`${urls.root}/#/settings/agents`);
  await page.getByLabel('Name').fill('Bean');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await heading(page, 'Bean');
  expect((await agentNamed('Bean'))?.enabled).toBe(false);
  await page.getByRole('switch', { name: 'Answers', exact: true }).check();
  await page.getByText('it has no queue and no channel').waitFor();
  expect((await agentNamed('Bean'))?.enabled).toBe(true);
  await page.getByRole('group', { name: 'Queues' }).getByLabel('IT').check();
  await page.getByRole('button', { name: 'Save queues' }).click();
  await page.getByText('“Agents answer” is off in IT').waitFor();
  const [it] = (await service.listQueues({ query: { limit: 100 } })).items.filter(
    ({ prefix }) => prefix === 'IT',
  );
  await service.updateQueue({ params: { id: it?.id ?? '' }, body: { settings: { aiEnabled: true } } });
  await page.getByLabel('Coffee').check();
  await page.getByRole('button', { name: 'Save knowledge bases' }).click();
  await page.getByLabel('How it writes').selectOption({ label: 'A barista' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await until('all that it was given', async () => {
    const bean = await agentNamed('Bean');
    return bean?.kBs[0]?.name === 'Coffee' && bean.queues[0]?.prefix === 'IT' && bean.personality !== null;
  });
  expect(await axeFindings(page)).toEqual([]);
  const { bot } = await chat.state();
  const root = await chat.say(CHANNEL, 'ada', `<@${bot}> How do I descale the coffee machine?`);
  const answer = await until('its answer in the thread', async () =>
    (await chat.thread(CHANNEL, root.ts)).find(({ text }) => text.includes('Press both buttons')),
  );
  expect([answer.username, answer.text]).toEqual([
    expect.stringContaining('Bean'),
    expect.stringContaining('Good morning!'),
  ]);

  // A concurrent change of another user stays: a switch writes only itself.
  const id = (await agentNamed('Bean'))?.id ?? '';
  await service.saveAgent({ body: { id, description: 'Knows coffee', respondOnMention: true } });
  await page.getByRole('switch', { name: 'Hands over unanswered requests' }).check();
  await until('both changes', async () => {
    const bean = await agentNamed('Bean');
    return bean?.autoEscalate === true && bean.description === 'Knows coffee' && bean.respondOnMention;
  });

  // A personality in use cannot be removed, and the page says what to do first; after a failed save the typed
  // text is still there.
  await page.goto(`${urls.root}/#/settings/personalities`);
  await page.getByRole('link', { name: 'A barista' }).click();
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Remove' }).click();
  await refusal(page, 'Choose another one for them first');
  await page.route('**/desk/api/personalities', (route) => route.abort());
  await page.getByLabel('Greeting').fill('Good evening!');
  await page.getByRole('button', { name: 'Save' }).click();
  await refusal(page, 'The desk cannot be reached');
  expect(await page.getByLabel('Greeting').inputValue()).toBe('Good evening!');
  await page.unroute('**/desk/api/personalities');

  // A removed agent is gone; with a service without agents the page says so and offers nothing.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${urls.root}/#/settings/agents/${id}`);
  await heading(page, 'Bean');
  expect([await isAsWide(page), await axeFindings(page)]).toEqual([true, []]);
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Remove agent' }).click();
  await page.getByRole('link', { name: 'Patch' }).waitFor();
  expect(await agentNamed('Bean')).toBeUndefined();
  expect(problems.filter((each) => !/401|409|ERR_FAILED/.test(each))).toEqual([]);
  await page.route('**/desk/api/agents*', (route) =>
    route.fulfill({ status: 404, json: { code: 'NOT_FOUND', message: 'No such operation.' } }),
  );
  await page.goto(`${urls.root}/#/settings/people`);
  await page.goto(`${urls.root}/#/settings/agents`);
  await page.getByText('This service does not show its agents here.').waitFor();
  expect(await page.getByRole('button', { name: 'Create agent' }).count()).toBe(0);
}, 120_000);
