import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { axeFindings, useBrowser } from './browser.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';
import { isAsWide } from './open-page.ts';
import { choose, openSettingsAsAdmin, type } from './open-settings.ts';

const browser = useBrowser();
const CHANNEL = 'it-help';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
/** Adds one of a list behind a button, which stays open. */
const add = async (page: Page, button: string, option: RegExp) => {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('option', { name: option }).click();
  await until('the list to close', async () => {
    await page.keyboard.press('Escape');
    return (await page.getByRole('listbox').count()) === 0;
  });
};

/** The desk of an admin. */
interface Settings {
  page: Page;
  dialog: Locator;
  world: World;
}

async function agentNamed({ service }: World, name: string) {
  const { items } = await service.listAgents({ query: { limit: 100 } });
  return items.find((agent) => agent.name === name);
}

test('B42 an AI agent that is set up at the desk answers in chat from its knowledge, and concurrent changes of others stay', async () => {
  const world = await startWorld();
  const { page, problems } = await openSettingsAsAdmin(browser, world, 'knowledge');
  const settings: Settings = { page, dialog: page.getByRole('dialog'), world };
  await addKnowledge(settings);
  await addPersonality(settings);
  await addAgent(settings);
  await expectAnswerInChat(world);
  const id = (await agentNamed(world, 'Bean'))?.id ?? '';
  await keepConcurrentChange(settings, id);
  await keepPersonalityInUse(settings);
  await keepTextOfFailedSave(settings);
  await removeAgentOnPhone(settings, id);
  expect(problems.filter((each) => !/401|409|ERR_FAILED/.test(each))).toEqual([]);
  await offerNothingWithoutAgents(settings);
});

/** A knowledge base with one document. */
async function addKnowledge({ page, dialog }: Settings): Promise<void> {
  await page.getByRole('button', { name: 'New knowledge base' }).click();
  await dialog.getByLabel('Name').fill('Coffee');
  await dialog.getByRole('button', { name: 'Create knowledge base' }).click();
  await heading(page, 'Coffee');
  await page.getByRole('button', { name: 'Add document' }).click();
  await dialog.getByLabel('Title').fill('Descaling the coffee machine');
  await dialog.getByLabel('Text').fill('Press both buttons for ten seconds, then pour in the <blue> bottle.');
  await dialog.getByRole('button', { name: 'Add document' }).click();
  await page.locator('summary', { hasText: 'Descaling' }).click();
  await page.getByText('the <blue> bottle').waitFor();
  expect(await axeFindings(page)).toEqual([]);
}

async function addPersonality({ page, dialog, world }: Settings): Promise<void> {
  await page.goto(`${world.urls.root}/settings/personalities`);
  await page.getByRole('button', { name: 'New personality' }).click();
  await dialog.getByLabel('Who it is').fill('A barista');
  await dialog.getByRole('button', { name: 'Create personality' }).click();
  await heading(page, 'A barista');
  await page.getByLabel('Greeting').fill('Good morning!');
  await page.getByLabel('Greeting').blur();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
}

/** It starts disabled, and says what is missing once it is enabled. */
async function addAgent({ page, dialog, world }: Settings): Promise<void> {
  const { service } = world;
  await page.goto(`${world.urls.root}/settings/agents`);
  await page.getByRole('button', { name: 'New AI agent' }).click();
  await dialog.getByLabel('Name').fill('Bean');
  await dialog.getByRole('button', { name: 'Create AI agent' }).click();
  await heading(page, 'Bean');
  expect((await agentNamed(world, 'Bean'))?.enabled).toBe(false);
  await page.getByText('When off, Bean doesn’t reply anywhere.').click();
  await page.getByText('It has no queue and no channel').waitFor();
  expect((await agentNamed(world, 'Bean'))?.enabled).toBe(true);
  await choose(page, 'Personality', 'A barista');
  await page.getByRole('tab', { name: 'Where it works' }).click();
  await add(page, 'Add queue', /^IT/);
  await page.getByText('“AI agents answer” is off in IT').waitFor();
  const [it] = (await service.listQueues({ query: { limit: 100 } })).items.filter(
    ({ prefix }) => prefix === 'IT',
  );
  await service.updateQueue({ params: { id: it?.id ?? '' }, body: { settings: { aiEnabled: true } } });
  await add(page, 'Add knowledge base', /^Coffee/);
  await until('all that it was given', async () => {
    const bean = await agentNamed(world, 'Bean');
    return bean?.kBs[0]?.name === 'Coffee' && bean.queues[0]?.prefix === 'IT' && bean.personality !== null;
  });
  expect(await axeFindings(page)).toEqual([]);
}

async function expectAnswerInChat(world: World): Promise<void> {
  const { chat } = world;
  const { bot } = await chat.state();
  const root = await chat.say(CHANNEL, 'ada', `<@${bot}> How do I descale the coffee machine?`);
  const answer = await until('its answer in the thread', async () =>
    (await chat.thread(CHANNEL, root.ts)).find(({ text }) => text.includes('Press both buttons')),
  );
  expect([answer.username, answer.text]).toEqual([
    expect.stringContaining('Bean'),
    expect.stringContaining('Good morning!'),
  ]);
}

/** A switch writes only itself. */
async function keepConcurrentChange({ page, world }: Settings, id: string): Promise<void> {
  await world.service.saveAgent({ body: { id, description: 'Knows coffee', respondOnMention: true } });
  await page.getByRole('tab', { name: 'Answers' }).click();
  await page.getByText('Hands over unanswered requests').click();
  await until('both changes', async () => {
    const bean = await agentNamed(world, 'Bean');
    return bean?.autoEscalate === true && bean.description === 'Knows coffee' && bean.respondOnMention;
  });
}

/** It cannot be removed, and the page says what to do first. */
async function keepPersonalityInUse({ page, dialog, world }: Settings): Promise<void> {
  await page.goto(`${world.urls.root}/settings/personalities`);
  await page.getByRole('link', { name: 'A barista' }).click();
  await page.getByRole('button', { name: 'Remove personality' }).click();
  await dialog.getByLabel('Type “A barista” to confirm').fill('A barista');
  await dialog.getByRole('button', { name: 'Remove personality' }).click();
  await dialog.getByText('Choose another one there first').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
}

async function keepTextOfFailedSave({ page }: Settings): Promise<void> {
  await page.route('**/desk/api/personalities', (route) => route.abort());
  await page.getByLabel('Tone').waitFor();
  await type(page.getByLabel('Tone'), 'loud');
  await page.getByText('The desk cannot be reached').first().waitFor();
  expect(await page.getByLabel('Tone').inputValue()).toBe('loud');
  await page.unroute('**/desk/api/personalities');
}

async function removeAgentOnPhone({ page, dialog, world }: Settings, id: string): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${world.urls.root}/settings/agents/${id}`);
  await heading(page, 'Bean');
  expect([await isAsWide(page), await axeFindings(page)]).toEqual([true, []]);
  await page.getByRole('button', { name: 'Remove AI agent' }).click();
  await dialog.getByLabel('Type “Bean” to confirm').fill('Bean');
  await dialog.getByRole('button', { name: 'Remove AI agent' }).click();
  await page.getByRole('link', { name: 'Patch' }).waitFor();
  expect(await agentNamed(world, 'Bean')).toBeUndefined();
}

/** With a service without AI agents the page says so. */
async function offerNothingWithoutAgents({ page, world }: Settings): Promise<void> {
  await page.route('**/desk/api/agents*', (route) =>
    route.fulfill({ status: 404, json: { code: 'NOT_FOUND', message: 'No such operation.' } }),
  );
  await page.goto(`${world.urls.root}/settings/agents`);
  await page.getByText('This service does not support this').waitFor();
  expect(await page.getByRole('button', { name: 'New AI agent' }).count()).toBe(0);
}
