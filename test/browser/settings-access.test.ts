import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { sessionCookie } from '../harness/sign-in.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { isAsWide, openDeskAs } from './open-page.ts';
import { choose, openSettingsAsAdmin } from './open-settings.ts';

const browser = useBrowser();
const world = sharedWorld();

const findings = (page: Page) => axeFindings(page, { every: true });
const userNamed = async (firstName: string) => {
  const { items } = await world.service.listUsers({ query: { search: firstName, limit: 1 } });
  return items[0]?.id ?? '';
};

test('the last admin’s controls are disabled and say why, until there is another one', async () => {
  const [mira, lena] = [await userNamed('Mira'), await userNamed('Lena')];
  const { page, problems } = await openSettingsAsAdmin(browser, world, `people/${mira}`);
  const why = page.getByText('Mira Lind is the only active admin. Make another person an admin before');
  await why.waitFor();
  const role = page.getByRole('radiogroup', { name: 'Role' });
  expect(await role.getByRole('radio', { name: /^Requester/ }).isDisabled()).toBe(true);
  const deactivate = page.getByRole('button', { name: 'Deactivate' });
  expect(await deactivate.isDisabled()).toBe(true);
  const described = (await role.getAttribute('aria-describedby')) ?? '';
  expect(await page.locator(`[id="${described.split(' ')[0]}"]`).innerText()).toBe(await why.innerText());
  expect(await findings(page)).toEqual([]);

  await page.goto(`${world.urls.root}/settings/people/${lena}`);
  await role.getByText('Admin', { exact: true }).click();
  await page.getByRole('button', { name: 'Save access' }).click();
  await page.getByRole('button', { name: 'Save access' }).waitFor({ state: 'detached' });
  await page.goto(`${world.urls.root}/settings/people/${mira}`);
  await page.getByRole('heading', { name: 'Mira Lind' }).waitFor();
  await deactivate.waitFor();
  expect([await why.count(), await role.getByRole('radio', { name: /^Requester/ }).isDisabled()]).toEqual([
    0,
    false,
  ]);
  // What is chosen and not saved says what it means for oneself.
  await role.getByText('Agent', { exact: true }).click();
  await page.getByText('This is you: you lose access to the settings.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await role.getByRole('radio', { name: /^Admin/ }).isChecked()).toBe(true);
  // In a list they are found by what they may do.
  await page.getByRole('link', { name: 'People' }).last().click();
  await choose(page, 'Show', 'Admins');
  await page.getByText('2 people', { exact: true }).waitFor();
  const rows = page.getByRole('table', { name: 'People' }).getByRole('rowheader');
  expect((await rows.allInnerTexts()).map((name) => name.split('\n').at(-1))).toEqual([
    'Lena Hoffmann',
    'Mira Lind',
  ]);
  expect(await findings(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  expect(problems).toEqual([]);
});

test('an admin ends a person’s sessions, deactivates them, and finds in the audit log who did what, by action, person and day', async () => {
  const sam = await openDeskAs(browser, world, { email: DEMO.people.sam.email, ownSession: true });
  const samId = await userNamed('Sam');
  const { page, problems } = await openSettingsAsAdmin(browser, world, `people/${samId}`);
  await page.getByRole('button', { name: /^End the session Chrome/ }).click();
  await page.getByText('Not signed in.').waitFor();
  await sam.page.getByRole('heading', { name: 'Sign in to the desk' }).waitFor();
  // A person is deactivated only after their name was typed.
  await page.getByRole('button', { name: 'Deactivate' }).click();
  const dialog = page.getByRole('dialog', { name: 'Deactivate' });
  expect(await dialog.getByRole('button', { name: 'Deactivate' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Type “Sam Parks” to confirm').fill('Sam Parks');
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await page.getByRole('button', { name: 'Reactivate' }).click();
  await page.getByRole('button', { name: 'Deactivate' }).waitFor();
  await page.getByRole('radiogroup', { name: 'Role' }).getByText('Requester', { exact: true }).click();
  await page.getByText('Not saved yet.').waitFor();
  await page.getByRole('button', { name: 'Save access' }).click();
  await page.getByRole('button', { name: 'Save access' }).waitFor({ state: 'detached' });

  const { items: queues } = await world.service.listQueues({ query: {} });
  const { HIGH, ...others } = queues[0]?.settings?.targets ?? {};
  const targets = { ...others, HIGH: { resolutionMinutes: null, ...HIGH, responseMinutes: 30 } };
  await world.service.updateQueue({
    params: { id: queues[0]?.id ?? '' },
    body: { settings: { enableCSAT: false, targets } },
  });
  await page.getByRole('link', { name: 'Audit log' }).click();
  // Fields of settings by words, not by their paths in the record.
  const ofQueue = page.getByRole('list', { name: 'Audit log' }).locator('> li').first();
  await ofQueue.getByText('Satisfaction rating').first().waitFor();
  await ofQueue.locator('summary').click();
  await ofQueue.getByText('on → off').waitFor();
  expect(await ofQueue.innerText()).toContain('Targets, high, first reply in minutes');
  expect(await ofQueue.innerText()).not.toMatch(/settings\.|enableCSAT|Minutes/);
  await choose(page, 'Action', 'Access changed');
  const first = page.getByRole('list', { name: 'Audit log' }).locator('> li').first();
  await first.getByText('Access changed').waitFor();
  await first.getByText('Mira Lind').waitFor();
  expect(await first.innerText()).toMatch(/Mira Lind.*Access changed.*Sam Parks: Role/s);
  await first.locator('summary').click();
  await first.getByText('agent → requester').waitFor();
  expect(await findings(page)).toEqual([]);
  await choose(page, 'Action', 'Session ended');
  // The action before had one entry, too.
  await first.getByText('Session ended').waitFor();
  await page.getByText('1 entry', { exact: true }).waitFor();
  expect(await first.innerText()).toMatch(/Mira Lind.*Session ended/s);
  await choose(page, 'Action', 'Any action');
  await choose(page, 'Done by', /^Lena Hoffmann/);
  await page.getByText('No entries', { exact: true }).waitFor();
  await choose(page, 'Done by', 'Anyone');
  await first.waitFor();
  await page.getByRole('button', { name: /^From: / }).click();
  await page.getByRole('button', { name: 'Next month' }).click();
  await page.getByRole('gridcell').getByRole('button').last().click();
  await page.getByText('No entries', { exact: true }).waitFor();
  // Nothing of it can be changed.
  expect(
    await page
      .locator('main')
      .getByRole('button', { name: /delete|edit|save/i })
      .count(),
  ).toBe(0);
  await page.setViewportSize({ width: 360, height: 740 });
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  expect(problems).toEqual([]);
});

test('before an admin leaves, what they made is listed and stops or is handed over as chosen; later the settings say why it stopped, and an admin takes it over', async () => {
  const { service } = world;
  const lena = await userNamed('Lena');
  const setRole = (role: 'admin' | 'agent') => service.updateUser({ params: { id: lena }, body: { role } });
  await setRole('admin');
  const cookie = await sessionCookie(world, 'lena@acme.example');
  const make = async (path: string, body: object) => {
    const answer = await fetch(`${world.urls.root}/desk/api${path}`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
  };
  await make('/api-keys', { name: 'Nightly import', role: 'agent' });
  await make('/webhooks', { name: 'Warehouse', url: 'https://hooks.example/warehouse' });
  const makers = async () =>
    [
      ...(await service.listApiKeys({ query: { limit: 100, search: 'Nightly import' } })).items,
      ...(await service.listWebhooks({ query: { search: 'Warehouse' } })).items.filter(
        ({ active }) => active,
      ),
    ].map(({ madeById }) => madeById);
  const { page, problems } = await openSettingsAsAdmin(browser, world, `people/${lena}`);

  // Handed over with the role: the choice comes before the change.
  await page.getByRole('radiogroup', { name: 'Role' }).getByText('Agent', { exact: true }).click();
  await page.getByRole('button', { name: 'Save access' }).click();
  const demotion = page.getByRole('dialog', { name: 'Make Lena Hoffmann an agent' });
  expect(await demotion.getByRole('list').innerText()).toMatch(/Nightly import.*Warehouse/s);
  expect(await demotion.getByRole('button', { name: 'Save access' }).isDisabled()).toBe(true);
  await demotion.getByText('Hand them over to another admin').click();
  await demotion.getByRole('button', { name: 'New owner: Mira Lind (you)' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await demotion.getByRole('button', { name: 'Save access' }).click();
  await demotion.waitFor({ state: 'detached' });
  const mira = await userNamed('Mira');
  expect(await makers()).toEqual([mira, mira]);

  // And stopped with an account: what others made stays.
  await setRole('admin');
  await make('/api-keys', { name: 'Status board', role: 'read' });
  await make('/webhooks', { name: 'Pager', url: 'https://hooks.example/pager' });
  await page.reload();
  await page.getByRole('button', { name: 'Deactivate' }).click();
  const dialog = page.getByRole('dialog', { name: 'Deactivate' });
  await dialog.getByText('Status board').waitFor();
  expect(await dialog.getByText('Nightly import').count()).toBe(0);
  await dialog.getByLabel(/^Type/).fill('Lena Hoffmann');
  expect(await dialog.getByRole('button', { name: 'Deactivate' }).isDisabled()).toBe(true);
  await dialog.getByText('They stop').click();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await page.getByRole('button', { name: 'Reactivate' }).waitFor();

  await page.goto(`${world.urls.root}/settings/api-keys`);
  const row = page.getByRole('row', { name: /Status board/ });
  await row.getByText('Stopped because Lena Hoffmann was deactivated.').waitFor();
  expect(await row.locator('td[data-title="Made by"]').innerText()).toContain('Lena Hoffmann');
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  await row.getByRole('button', { name: 'Take over “Status board”' }).click();
  await row.getByText('Mira Lind').waitFor();
  await page.goto(`${world.urls.root}/settings/webhooks`);
  await page
    .getByRole('row', { name: /Pager stopped/ })
    .getByRole('link')
    .click();
  await page.getByText('Stopped because Lena Hoffmann was deactivated.').waitFor();
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  await page.getByRole('button', { name: 'Take over' }).click();
  await page.getByText('Made by Mira Lind').waitFor();
  expect(await page.getByRole('switch', { name: /^Active/ }).isChecked()).toBe(true);
  await page.goto(`${world.urls.root}/settings/audit-log`);
  await page.getByText('because Lena Hoffmann, who made it, is no longer an active admin').first().waitFor();
  expect(problems).toEqual([]);
});

test('an API key is shown once, and revoked once its name is typed; nothing of it is cut off on a phone', async () => {
  const { service } = world;
  const keys = async () => (await service.listApiKeys({ query: { limit: 100 } })).items;
  const { page, problems } = await openSettingsAsAdmin(browser, world, 'api-keys');
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Status page');
  await choose(page.getByRole('dialog'), 'Role', /^Read only/);
  await page.getByRole('button', { name: 'Create key' }).click();
  const made = page.getByRole('dialog', { name: 'The key “Status page”' });
  const key = await made.locator('code').innerText();
  expect(await findings(page)).toEqual([]);
  const answer = await fetch(`${world.urls.api}/queues`, { headers: { 'x-service-api-token': key } });
  expect(answer.status).toBe(200);
  await made.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('row', { name: /Status page/ });
  await row.getByText('Read only').waitFor();
  expect(await page.getByText(key).count()).toBe(0);
  expect((await keys()).find(({ name }) => name === 'Status page')?.role).toBe('read');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('button', { name: 'Revoke “Status page”' }).scrollIntoViewIfNeeded();
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  await page.getByRole('button', { name: 'Revoke “Status page”' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).isDisabled();
  await page.getByLabel('Type “Status page” to confirm').fill('status page');
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await until('its end', async () => !(await keys()).some(({ name }) => name === 'Status page'));
  // The audit log says it in words for people, not in those of the API.
  await page.goto(`${world.urls.root}/settings/audit-log`);
  const entries = page.getByRole('list', { name: 'Audit log' });
  await entries.getByText('API key created').first().waitFor();
  const [revoked, created] = await entries.locator('> li').allInnerTexts();
  expect([revoked, created]).toEqual([
    expect.stringMatching(/API key revoked.*“Status page”/s),
    expect.stringMatching(/API key created.*“Status page”/s),
  ]);
  expect(created).not.toContain('response');
  expect(problems).toEqual([]);
});

test('an API key reads the queues that were chosen for it; an admin is of the team of those that are', async () => {
  const { service } = world;
  const { items: queues } = await service.listQueues({});
  const people = queues.find(({ name }) => name === 'People')?.id;
  const { page, problems } = await openSettingsAsAdmin(browser, world, 'api-keys');
  await page.getByRole('button', { name: 'New API key' }).click();
  const dialog = page.getByRole('dialog', { name: 'New API key' });
  const create = dialog.getByRole('button', { name: 'Create key' });
  await dialog.getByLabel('Name').fill('Payroll export');
  await dialog.getByText('Only these', { exact: true }).click();
  // None is no choice: it would read nothing.
  expect(await create.isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Add queue' }).click();
  await page
    .locator('[role=listbox]')
    .getByRole('option', { name: /People/ })
    .click();
  await page.keyboard.press('Escape');
  await page.locator('[role=listbox]').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Remove People' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await create.click();
  await page
    .getByRole('dialog', { name: /^The key/ })
    .getByRole('button', { name: 'Done' })
    .click();
  await page
    .getByRole('row', { name: /Payroll export/ })
    .getByText('People')
    .waitFor();
  const { items: keys } = await service.listApiKeys({ query: { limit: 100 } });
  expect(keys.find(({ name }) => name === 'Payroll export')?.queueIds).toEqual([people]);
  expect(keys.find(({ name }) => name === 'deskbridge')?.queueIds).toBeNull();
  // A key of the role admin reads all.
  await page.getByRole('button', { name: 'New API key' }).click();
  await choose(dialog, 'Role', /^Admin/);
  await dialog.getByText('can read every queue').waitFor();
  expect(await dialog.getByRole('radio').count()).toBe(0);
  await page.keyboard.press('Escape');

  const mira = await userNamed('Mira');
  const queuesOfMira = async () => (await service.readUser({ params: { id: mira } })).queueIds;
  const before = await queuesOfMira();
  await page.goto(`${world.urls.root}/settings/people/${mira}`);
  await page.getByText('Teams of this admin').waitFor();
  await page.getByRole('button', { name: 'Add queue' }).click();
  await page.locator('[role=listbox]').getByRole('option', { name: /IT/ }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save access' }).click();
  await page.getByRole('button', { name: 'Save access' }).waitFor({ state: 'detached' });
  const it = queues.find(({ name }) => name === 'IT')?.id;
  expect(await queuesOfMira()).toEqual([...(before ?? []), it]);
  expect(await findings(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('a webhook is turned off and on, pinged, and a delivery of it sent again', async () => {
  const { service } = world;
  const [webhook] = (await service.listWebhooks({ query: {} })).items;
  const now = () => service.readWebhook({ params: { id: webhook?.id ?? '' } });
  const { page, problems } = await openSettingsAsAdmin(browser, world, 'webhooks');
  await page.getByRole('table', { name: 'Webhooks' }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
  const active = page.getByRole('switch', { name: /^Active/ });
  await page.getByText('If off, nothing is sent').click();
  await until('it to be off', async () => !(await now()).active);
  await page.getByText('If off, nothing is sent').click();
  await until('it to be on', async () => (await now()).active);
  expect(await active.isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Send a test' }).click();
  const pings = page.getByRole('button', { name: /^Send again: .*ping/i });
  await pings.first().waitFor();
  await pings.first().click();
  await page.getByText('Sent again').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  // What it is limited to is said, and stays when it is turned off and on.
  const { id: limited } = await service.createWebhook({
    body: { name: 'Facilities only', url: 'https://hooks.example/facilities' },
  });
  const [queue] = (await service.listQueues({ query: {} })).items;
  await service.updateWebhook({ params: { id: limited }, body: { queueIds: [queue?.id ?? ''] } });
  await page.goto(`${world.urls.root}/settings/webhooks/${limited}`);
  await page.getByText(`It gets only the tickets of these queues: ${queue?.name}`).waitFor();
  const isOn = async () => (await service.readWebhook({ params: { id: limited } })).active;
  for (const isActive of [false, true]) {
    await page.getByText('If off, nothing is sent').click();
    await until('the switch to be written', async () => (await isOn()) === isActive);
  }
  expect((await service.readWebhook({ params: { id: limited } })).queueIds).toEqual([queue?.id]);
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  // An address that no request can be sent to is refused, and what was typed stays.
  await page.goto(`${world.urls.root}/settings/webhooks`);
  await page.getByRole('button', { name: 'New webhook' }).click();
  const dialog = page.getByRole('dialog', { name: 'New webhook' });
  await dialog.getByLabel('Signing secret').fill('short');
  await dialog.getByText('Use at least 24 characters.').waitFor();
  await dialog.getByLabel('Signing secret').fill('');
  await dialog.getByLabel('Address').fill('http://127.0.0.1:9/hook');
  await dialog.getByRole('button', { name: 'Create webhook' }).click();
  await dialog.getByRole('alert').waitFor();
  expect(await dialog.getByLabel('Address').inputValue()).toBe('http://127.0.0.1:9/hook');
  expect(problems.filter((each) => !each.includes('422'))).toEqual([]);
});
