import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { queueSettings } from '../../src/contract/index.ts';
import { queues as texts } from '../../src/ui/desk/messages/queues.ts';
import { codesIn, rowsUnder } from '../docs/documents.ts';
import { startForeignService } from '../harness/foreign-service.ts';
import { until } from '../harness/until.ts';
import { startTestService } from '../service/harness.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { signIn } from '../service/signed-in.ts';
import { openTables } from '../service/world.ts';
import { isAsWide } from './open-page.ts';
import { choose, openSettings, type } from './open-settings.ts';

const browser = useBrowser();

interface Queue {
  id: string;
  name: string;
  prefix: string;
  emoji: string | null;
  autoAssignees: { id: string }[];
  settings: Record<string, unknown>;
}

/** A field, as the browser knows it. */
interface Labelled {
  labels: { innerText: string }[];
}

const TABS = ['General', 'Intake & forms', 'Slack', 'Response times', 'Notifications', 'AI'];

/** The settings of the queue Facilities. */
interface Settings {
  page: Page;
  queue: () => Promise<Queue>;
  tab: (name: string) => Promise<void>;
}

const expectAccessible = async (page: Page, where?: string) =>
  expect(await axeFindings(page, { every: true }), where).toEqual([]);

test('a queue is created and named at the desk, each of its settings can be changed there, and typed text survives an error', async () => {
  const service = await startTestService();
  const { body: mira } = await service.call('POST', '/users', {
    body: { firstName: 'Mira', lastName: 'Lind', email: 'mira@acme.example' },
  });
  await service.call('POST', '/queues', { body: { name: 'Laboratory', prefix: 'LAB' } });
  const { page, problems } = await openSettings(browser, service, 'queues');
  const settings: Settings = {
    page,
    queue: async () => {
      const { body } = await service.call('GET', '/queues?search=FAC');
      return body.items[0] as unknown as Queue;
    },
    tab: async (name) => {
      await page.getByRole('tab', { name }).click();
      await page.getByRole('tab', { name, selected: true }).waitFor();
    },
  };
  await createQueue(settings);
  const switches = await pressEverySwitch(settings);
  await chooseWhatAgentsAnswer(settings);
  await settings.tab('Response times');
  await setTargets(settings);
  // Every setting of the contract that has an effect is here.
  const storedOnly = rowsUnder('docs/set-up.md', 'Queue switches')
    .filter(([, effect = '']) => effect.startsWith('stored only'))
    .flatMap(([names]) => codesIn(names));
  expect([...switches, 'respondOnMessage', 'targets', 'warnings', ...storedOnly].toSorted()).toEqual(
    Object.keys(queueSettings.shape)
      .filter((key) => key !== 'id')
      .toSorted(),
  );
  await settings.tab('General');
  await addAndRemoveAssignee(settings, mira.id);
  await rename(settings);
  expect(problems.filter((each) => !/401|409/.test(each))).toEqual([]);
  await fitOnPhone(settings);
});

/** A prefix that another queue has is refused, and the name stays typed. */
async function createQueue({ page, queue }: Settings): Promise<void> {
  await page.getByRole('table').getByRole('link', { name: 'Laboratory' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'New queue' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Facilities');
  await dialog.getByLabel('Prefix of its tickets').fill('lab');
  await dialog.getByRole('button', { name: 'Create queue' }).click();
  await dialog.getByText('The prefix LAB is, or was, that of another queue').waitFor();
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Facilities');
  await expectAccessible(page);
  await dialog.getByLabel('Prefix of its tickets').fill('fac');
  await dialog.getByRole('button', { name: 'Create queue' }).click();
  await page.getByRole('heading', { level: 1, name: 'Facilities' }).waitFor();
  expect(await queue()).toMatchObject({ name: 'Facilities', prefix: 'FAC' });
}

/** Each switch is shown as it is, and written when it is pressed. Returns their settings. */
async function pressEverySwitch({ page, queue, tab }: Settings): Promise<string[]> {
  const labels = new Map(Object.entries(texts.switches).map(([key, { label }]) => [label, key]));
  const before = (await queue()).settings;
  const offered: string[] = [];
  for (const name of TABS) {
    await tab(name);
    for (const one of await page.getByRole('switch').all()) {
      const label =
        (await one.evaluate((input) => (input as unknown as Labelled).labels[0]?.innerText))?.split(
          '\n',
        )[0] ?? '';
      const key = labels.get(label) ?? label;
      offered.push(key);
      expect(await one.isChecked(), key).toBe(before[key]);
      await one.press(' ');
      await until(`${key} to be written`, async () => (await queue()).settings[key] === !before[key]);
      expect(await one.isChecked(), key).toBe(!before[key]);
    }
    await expectAccessible(page, name);
  }
  return offered;
}

async function chooseWhatAgentsAnswer({ page, queue }: Settings): Promise<void> {
  await page.getByText('Saved', { exact: true }).first().waitFor();
  await choose(page, 'What AI agents answer', 'Only mentions');
  await until(
    'what agents answer',
    async () => (await queue()).settings['respondOnMessage'] === 'no-messages',
  );
}

/** Times are read in words and shown in short. */
async function setTargets({ page, queue }: Settings): Promise<void> {
  const target = (name: string) => page.getByLabel(name);
  await type(target('Urgent: First reply within'), 'soon');
  await page.getByText('Enter a time such as 15m').waitFor();
  expect((await queue()).settings['targets']).toBeNull();
  await type(target('Urgent: First reply within'), '15 min');
  await type(target('Urgent: Resolved within'), '1,5 h');
  await type(target('Low: Resolved within'), '2 days');
  await until('the times', async () => JSON.stringify((await queue()).settings['targets']).includes('LOW'));
  expect((await queue()).settings['targets']).toEqual({
    URGENT: { responseMinutes: 15, resolutionMinutes: 90 },
    LOW: { responseMinutes: null, resolutionMinutes: 2880 },
  });
  await until('the time in short', async () => (await target('Low: Resolved within').inputValue()) === '2d');
}

async function addAndRemoveAssignee({ page, queue }: Settings, personId: string | undefined): Promise<void> {
  await page.getByRole('button', { name: 'Add person' }).click();
  await page.keyboard.type('Mira');
  await page.getByRole('option', { name: /Mira Lind/ }).click();
  // The first empties the search field.
  for (const _ of ['search', 'list']) await page.keyboard.press('Escape');
  await until('its assignee', async () => (await queue()).autoAssignees[0]?.id === personId);
  await page.getByRole('button', { name: 'Remove Mira Lind' }).click();
  await until('no assignee', async () => (await queue()).autoAssignees.length === 0);
}

/** A prefix that is refused can be corrected or taken back. */
async function rename({ page, queue }: Settings): Promise<void> {
  const prefix = page.getByLabel('Prefix of its tickets');
  await type(page.getByLabel('Name', { exact: true }), 'Buildings');
  await page.getByRole('heading', { level: 1, name: 'Buildings' }).waitFor();
  await type(prefix, 'LAB');
  await page.getByText('The prefix LAB is').waitFor();
  expect(await prefix.inputValue()).toBe('LAB');
  await prefix.press('Escape');
  expect(await prefix.inputValue()).toBe('FAC');
  await type(page.getByLabel('Emoji', { exact: true }), '🏢');
  await until('its emoji', async () => (await queue()).emoji === '🏢');
  expect(await queue()).toMatchObject({ name: 'Buildings', prefix: 'FAC' });
}

async function fitOnPhone({ page, tab }: Settings): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const name of TABS) {
    await tab(name);
    expect([name, await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([name, true, []]);
    expect(
      await page.evaluate<boolean>(
        '[...document.querySelectorAll("main > div")].every((each) => each.scrollWidth <= each.clientWidth)',
      ),
      name,
    ).toBe(true);
  }
  // The list of queues is of cards, and the sections are one step back.
  await page.getByRole('link', { name: 'Queues' }).click();
  await page.getByRole('table').getByRole('link', { name: 'Laboratory' }).waitFor();
  await page.getByRole('link', { name: 'All settings' }).click();
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
}

test('the search of the settings finds a switch, and its result opens the tab that has it', async () => {
  const service = await startTestService();
  await service.call('POST', '/queues', { body: { name: 'Laboratory', prefix: 'LAB' } });
  const { page } = await openSettings(browser, service, 'statuses');
  await page.getByRole('heading', { level: 1, name: 'Statuses' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('rating');
  expect(
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allTextContents(),
  ).toEqual(['Queues', 'Ask for a rating (CSAT)']);
  await page.getByRole('link', { name: 'Ask for a rating' }).click();
  await page.getByRole('table').getByRole('link', { name: 'Laboratory' }).click();
  await page.getByRole('switch', { name: 'Ask for a rating' }).waitFor();
});

test('who reads a queue is chosen in a dialog that says who gains, who loses and which programs still read it, and shows as before until it is saved; without a member it cannot become its team’s', async () => {
  const service = await startTestService();
  const { call, workspaceId } = service;
  const { db } = openTables(service);
  const { body: queue } = await call('POST', '/queues', { body: { name: 'Salaries', prefix: 'PAY' } });
  const agent = await signIn(db, workspaceId, { role: 'agent', name: 'Pia' });
  await signIn(db, workspaceId, { role: 'agent', name: 'Zoe' });
  const { body: hook } = await call('POST', '/webhooks', {
    body: { name: 'Warehouse', url: 'https://hooks.example/warehouse' },
  });
  await call('POST', '/api-keys', { body: { name: 'Elsewhere', role: 'read', queueIds: [hook.id] } });
  const visibility = async () =>
    ((await call('GET', `/queues/${queue.id}`)).body as unknown as { visibility: string }).visibility;
  const { page, problems } = await openSettings(browser, service, `queues/${queue.id}`);
  const kind = (name: RegExp) => page.getByRole('radio', { name });
  const effect = page.getByRole('dialog');

  // By keys alone.
  await kind(/^The whole workspace/).focus();
  await page.keyboard.press('ArrowUp');
  await effect.getByText('Nobody is in the team of this queue').waitFor();
  await effect.getByRole('link', { name: 'People' }).waitFor();
  expect(await effect.getByRole('button', { name: 'Change who reads it' }).count()).toBe(0);
  expect(await axeFindings(page, { every: true })).toEqual([]);

  await call('PUT', `/users/${agent.personId}`, { body: { queueIds: [queue.id] } });
  await effect.getByRole('button', { name: 'Cancel' }).press('Enter');
  await effect.waitFor({ state: 'detached' });
  expect(await kind(/^The whole workspace/).isChecked()).toBe(true);
  await kind(/^The whole workspace/).focus();
  await page.keyboard.press('ArrowUp');
  // The other agent; the one of its team keeps it.
  await effect.getByText('1 person will no longer be able to read its tickets').waitFor();
  await effect.getByText('1 person is in its team').waitFor();
  const programs = await effect.getByRole('list', { name: 'These can always read it' }).innerText();
  expect(programs).toMatch(/API key .*Webhook Warehouse/s);
  expect(programs).not.toContain('Elsewhere');
  // Nothing looks saved.
  const shown = page.getByRole('radio', { name: /^The whole workspace/, includeHidden: true });
  expect([await visibility(), await shown.isChecked()]).toEqual(['workspace', true]);
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await effect.getByRole('button', { name: 'Change who reads it' }).press('Enter');
  await page.getByText('Saved', { exact: true }).waitFor();
  expect([await visibility(), await effect.count()]).toEqual(['team', 0]);
  expect(await kind(/^Only its team/).isChecked()).toBe(true);

  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await kind(/^All agents/).press(' ');
  await effect.getByText('1 more person will be able to read its tickets').waitFor();
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
  await page.keyboard.press('Escape');
  await effect.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Queues', exact: true }).click();
  await page
    .getByRole('row', { name: /Salaries/ })
    .getByText('team only')
    .waitFor();
  expect(await visibility()).toBe('team');
  expect(problems.filter((each) => !/401/.test(each))).toEqual([]);
});

test('a queue whose tickets are merged with those of another one keeps its readers, and the dialog names them and says what to do', async () => {
  const service = await startTestService();
  const { call, workspaceId } = service;
  const queueOf = async (name: string, prefix: string) =>
    (await call('POST', '/queues', { body: { name, prefix } })).body.id;
  const [salaries, machines] = [await queueOf('Salaries', 'PAY'), await queueOf('Machines', 'MAC')];
  await signIn(openTables(service).db, workspaceId, { role: 'agent', name: 'Pia', queueIds: [salaries] });
  const ticket = async (queueId: string) =>
    (await call('POST', '/tickets', { body: { title: 'Laptop', queueId } })).body;
  const target = await ticket(machines);
  const merged = [];
  for (let made = 0; made < 4; made++) {
    const { id, code } = await ticket(salaries);
    await call('POST', `/tickets/${id}/merge`, { body: { intoId: target.id } });
    merged.push({ id, code });
  }
  const { page, problems } = await openSettings(browser, service, `queues/${salaries}`);
  await page.getByRole('radio', { name: /^Only its team/ }).press(' ');
  const dialog = page.getByRole('dialog');
  const save = dialog.getByRole('button', { name: 'Change who reads it' });
  await dialog.getByText('1 person is in its team').waitFor();
  await save.press('Enter');
  const alert = dialog.getByRole('alert');
  await alert.waitFor();
  const [first, second, third] = merged.map(({ code }) => `${code} into ${target.code}`);
  expect(await alert.innerText()).toContain(`${first}, ${second}, ${third}, and 1 more. Reopen`);
  expect(await axeFindings(page, { every: true })).toEqual([]);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      expect([await isAsWide(page), await alert.isVisible()]).toEqual([true, true]);
    }
  }
  // The dialog is still there, so what it asks for can be done elsewhere, and the change tried again.
  for (const { id } of merged) await call('PUT', `/tickets/${id}`, { body: { data: { queueId: machines } } });
  await save.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect((await call('GET', `/queues/${salaries}`)).body).toMatchObject({ visibility: 'team' });
  expect(problems.filter((each) => !/401|422/.test(each))).toEqual([]);
});

test('who is told of a target, and when, is set by keys alone: each part is written by itself, and a wrong share is refused before', async () => {
  const service = await startTestService();
  const { call, workspaceId } = service;
  const { body: queue } = await call('POST', '/queues', { body: { name: 'Laboratory', prefix: 'LAB' } });
  const { db } = openTables(service);
  const { personId: mira } = await signIn(db, workspaceId, { role: 'agent', name: 'Mira' });
  const warnings = async () =>
    ((await call('GET', `/queues/${queue.id}`)).body as unknown as Queue).settings['warnings'];
  const { page, problems } = await openSettings(browser, service, `queues/${queue.id}#times`);
  const first = page.getByRole('textbox', { name: 'First warning' });
  await first.waitFor();
  expect([await first.inputValue(), await warnings()]).toEqual(['80%', null]);
  await type(first, '100');
  await page.getByText('a whole number between 1 and 99').waitFor();
  expect(await warnings()).toBeNull();
  await type(first, '75');
  await until('the first warning', async () => (await warnings()) !== null);
  expect(await warnings()).toEqual({ percent: 75, escalations: [], outsideHours: [] });

  const add = page.getByRole('button', { name: 'Add escalation' });
  const dialog = page.getByRole('dialog', { name: 'Add escalation' });
  const pick = async (button: RegExp, typed: string) => {
    await dialog.getByRole('button', { name: button }).press('Enter');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.type(typed);
    await page.locator('[role=option][data-focused]').filter({ hasText: typed }).waitFor();
    await page.keyboard.press('Enter');
  };
  await add.press('Enter');
  expect(await dialog.getByRole('button', { name: 'Add escalation' }).isDisabled()).toBe(true);
  await pick(/^Person: /, 'Mira');
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await dialog.getByRole('button', { name: 'Add escalation' }).press('Enter');
  await page.getByText('At 100%').waitFor();
  // The dialog has a button of this name, too.
  await dialog.waitFor({ state: 'detached' });
  await add.press('Enter');
  await dialog.getByLabel('Share of the target').fill('150%');
  await pick(/^Notify: /, 'Channel');
  // Chat lists its channels only for signed-in admins: here by its ID.
  await dialog.getByLabel('Channel', { exact: true }).fill('C0LAMPS');
  await dialog.getByRole('button', { name: 'Add escalation' }).press('Enter');
  await page.getByRole('list', { name: 'Escalations' }).getByText('C0LAMPS').waitFor();
  await page.getByRole('button', { name: 'Add priority' }).press('Enter');
  await page.keyboard.type('Urgent');
  await page.locator('[role=option][data-focused]').filter({ hasText: 'Urgent' }).waitFor();
  await page.keyboard.press('Enter');
  const urgent = JSON.stringify(['URGENT']);
  await until('the priority', async () => JSON.stringify(await warnings()).includes(urgent));
  await page.keyboard.press('Escape');
  expect(await warnings()).toEqual({
    percent: 75,
    escalations: [
      { percent: 100, userId: mira, chatChannelId: null },
      { percent: 150, userId: null, chatChannelId: 'C0LAMPS' },
    ],
    outsideHours: ['URGENT'],
  });
  expect(await axeFindings(page, { every: true })).toEqual([]);

  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
  await page.getByRole('button', { name: 'Remove the escalation at 100% to Mira' }).press('Enter');
  await page.getByText('At 100%').waitFor({ state: 'detached' });
  await type(first, '');
  await until('no first warning', async () => JSON.stringify(await warnings()).includes('"percent":null'));
  expect(await warnings()).toMatchObject({ escalations: [{ percent: 150 }], outsideHours: ['URGENT'] });
  expect(problems.filter((each) => !/401|404/.test(each))).toEqual([]);
});

test('a switch that the key may not change flips back and shows the error next to it', async () => {
  const service = await startTestService();
  const { body } = await service.call('POST', '/queues', { body: { name: 'Laboratory', prefix: 'LAB' } });
  const { page } = await openSettings(
    browser,
    { ...service, token: await service.key('agent') },
    `queues/${body.id}`,
  );
  await page.getByRole('tab', { name: 'Slack' }).click();
  const silent = page.getByRole('switch', { name: 'Post only replies' });
  await silent.press(' ');
  await page.getByText('higher role').waitFor();
  expect(await silent.isChecked()).toBe(false);
});

test('if the service does not let the desk create queues, the page says so once and no longer offers it', async () => {
  const service = await startTestService();
  await service.call('POST', '/queues', { body: { name: 'Laboratory', prefix: 'LAB' } });
  const strange = { missing: 405, lists: 'data', pairs: 'kept', events: 'id' } as const;
  const foreign = await startForeignService(service.url.replace(/\/api$/, ''), strange);
  const { page } = await openSettings(browser, { ...service, url: `${foreign.url}/api` }, 'queues');
  await page.getByRole('button', { name: 'New queue' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Facilities');
  await dialog.getByLabel('Prefix of its tickets').fill('FAC');
  await dialog.getByRole('button', { name: 'Create queue' }).click();
  await dialog.getByText('does not allow creating queues').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByRole('button', { name: 'New queue' }).count()).toBe(0);
  await page.getByRole('table').getByRole('link', { name: 'Laboratory' }).click();
  await page.getByLabel('Name', { exact: true }).waitFor();
  expect(await page.getByText('Who reads its tickets').count()).toBe(0);
  await page.getByRole('tab', { name: 'Response times' }).click();
  await page.getByRole('table', { name: 'Response targets' }).waitFor();
  expect(await page.getByRole('switch').or(page.getByText('Warnings')).count()).toBe(0);
  await page.getByRole('tab', { name: 'General' }).click();
  await type(page.getByLabel('Name', { exact: true }), 'Workshop');
  await page.getByRole('heading', { level: 1, name: 'Workshop' }).waitFor();
  // A mistyped address opens the section.
  await page.goto(page.url().replace(/[^/]+$/, 'nothing'));
  await page.getByText('This queue no longer exists').waitFor();
});
