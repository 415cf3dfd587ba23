import { expect, test } from 'vitest';

import { queueSettings } from '../../src/contract/index.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { startForeignService } from '../harness/foreign-service.ts';
import { until } from '../harness/until.ts';
import { startTestService } from '../service/harness.ts';
import { codesIn, rowsUnder } from '../docs/documents.ts';
import { isAsWide, openSettings } from './open-page.ts';

const browser = useBrowser();

interface Queue {
  id: string;
  name: string;
  prefix: string;
  emoji: string | null;
  autoAssignees: { id: string }[];
  settings: Record<string, unknown>;
}

test('a queue is created and named at the desk, each of its settings can be changed there, and typed text survives an error', async () => {
  const service = await startTestService();
  const { body: mira } = await service.call('POST', '/users', {
    body: { firstName: 'Mira', lastName: 'Lind', email: 'mira@acme.example' },
  });
  await service.call('POST', '/queues', { body: { name: 'Laboratory', prefix: 'LAB' } });
  const { page, problems } = await openSettings(browser, service, 'queues');
  const queue = async (): Promise<Queue> => {
    const { body } = await service.call('GET', '/queues?search=FAC');
    return body.items[0] as unknown as Queue;
  };

  await page.getByRole('link', { name: /Laboratory/ }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByLabel('Name').fill('Facilities');
  await page.getByLabel('Prefix of its tickets').fill('lab');
  await page.getByRole('button', { name: 'Create queue' }).click();
  await page.locator('.refusal', { hasText: 'The prefix LAB is, or was, that of another queue' }).waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Facilities');
  await page.getByLabel('Prefix of its tickets').fill('fac');
  await page.getByRole('button', { name: 'Create queue' }).click();
  await page.getByRole('heading', { name: 'Facilities' }).waitFor();
  expect(await queue()).toMatchObject({ name: 'Facilities', prefix: 'FAC' });

  // Every setting of the contract that has an effect is here, as a field or in the table of targets.
  const names = await page.evaluate<string[]>(
    `[...document.querySelectorAll('[name^="queue-"]')].map(({ name }) => name.replace('queue-', ''))`,
  );
  const storedOnly = rowsUnder('docs/admin.md', 'Queue switches')
    .filter(([, effect = '']) => effect.startsWith('stored only'))
    .flatMap(([names]) => codesIn(names));
  expect([...names, 'targets', ...storedOnly].toSorted()).toEqual(
    Object.keys(queueSettings.shape)
      .filter((key) => key !== 'id')
      .toSorted(),
  );
  expect(await axeFindings(page)).toEqual([]);

  const before = (await queue()).settings;
  for (const one of await page.getByRole('switch').all()) {
    const key = (await one.getAttribute('name'))?.replace('queue-', '') ?? '';
    expect(await one.isChecked(), key).toBe(before[key]);
    await one.click();
    await until(`${key} to be written`, async () => (await queue()).settings[key] === !before[key]);
    expect(await one.isChecked(), key).toBe(!before[key]);
  }
  await page.getByLabel('What agents answer').selectOption('no-messages');
  await until(
    'what agents answer',
    async () => (await queue()).settings['respondOnMessage'] === 'no-messages',
  );

  await page.getByLabel('Urgent: first answer within').fill('soon');
  await page.getByRole('button', { name: 'Save times' }).click();
  expect((await queue()).settings['targets']).toBeNull();
  await page.getByLabel('Urgent: first answer within').fill('15 min');
  await page.getByLabel('Urgent: done within').fill('1,5 h');
  await page.getByLabel('Low: done within').fill('2 days');
  await page.getByRole('button', { name: 'Save times' }).click();
  await until('the times', async () => (await queue()).settings['targets'] !== null);
  expect((await queue()).settings['targets']).toEqual({
    URGENT: { responseMinutes: 15, resolutionMinutes: 90 },
    LOW: { responseMinutes: null, resolutionMinutes: 2880 },
  });
  await until(
    'the time in short',
    async () => (await page.getByLabel('Low: done within').inputValue()) === '2 d',
  );

  await page.getByLabel('Add a person').fill('Mira');
  await page.locator('#people-turns option').first().waitFor({ state: 'attached' });
  await page.getByLabel('Add a person').fill('Mira Lind (mira@acme.example)');
  await page.getByRole('button', { name: 'Take Mira Lind out' }).waitFor();
  expect((await queue()).autoAssignees).toEqual([{ id: mira.id }]);
  await page.getByRole('button', { name: 'Take Mira Lind out' }).click();
  await page.getByRole('button', { name: 'Take Mira Lind out' }).waitFor({ state: 'detached' });

  await page.getByLabel('Name', { exact: true }).fill('Buildings');
  await page.getByLabel('Prefix of its tickets').fill('LAB');
  await page.getByRole('button', { name: 'Save names' }).click();
  await page.locator('.refusal', { hasText: 'The prefix LAB is' }).waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Buildings');
  await page.getByLabel('Prefix of its tickets').fill('FAC');
  await page.getByLabel('Emoji', { exact: true }).fill('🏢');
  await page.getByRole('button', { name: 'Save names' }).click();
  await page.getByRole('heading', { name: 'Buildings' }).waitFor();
  expect(await queue()).toMatchObject({ name: 'Buildings', prefix: 'FAC', emoji: '🏢' });
  expect(problems.filter((each) => !/401|409/.test(each))).toEqual([]);

  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([await isAsWide(page), await axeFindings(page)]).toEqual([true, []]);
}, 120_000);

test('a switch that the key may not change flips back and shows the error next to it', async () => {
  const service = await startTestService();
  const { body } = await service.call('POST', '/queues', { body: { name: 'Laboratory', prefix: 'LAB' } });
  const { page } = await openSettings(
    browser,
    { ...service, token: await service.key('agent') },
    `queues/${body.id}`,
  );
  const silent = page.getByRole('switch', { name: 'Post only answers' });
  await silent.click();
  await page
    .locator('.switch-row', { has: silent })
    .locator('.refusal', { hasText: 'higher role' })
    .waitFor();
  expect(await silent.isChecked()).toBe(false);
});

test('if the service does not let the desk create queues, the page says so once and no longer offers it', async () => {
  const service = await startTestService();
  await service.call('POST', '/queues', { body: { name: 'Laboratory', prefix: 'LAB' } });
  const strange = { missing: 405, lists: 'data', pairs: 'kept', events: 'id' } as const;
  const foreign = await startForeignService(service.url.replace(/\/api$/, ''), strange);
  const { page } = await openSettings(browser, { ...service, url: `${foreign.url}/api` }, 'queues');
  await page.getByLabel('Name').fill('Facilities');
  await page.getByLabel('Prefix of its tickets').fill('FAC');
  await page.getByRole('button', { name: 'Create queue' }).click();
  await page.locator('.refusal', { hasText: 'does not let the desk make queues' }).waitFor();
  expect(await page.getByRole('button', { name: 'Create queue' }).count()).toBe(0);
  await page.getByRole('link', { name: /Laboratory/ }).click();
  await page.getByLabel('Name', { exact: true }).fill('Workshop');
  await page.getByRole('button', { name: 'Save names' }).click();
  await page.getByRole('heading', { name: 'Workshop' }).waitFor();
  // A mistyped address opens the section.
  await page.goto(page.url().replace(/#.*/, '#/settings/queues/%'));
  await page.getByText('This queue no longer exists.').waitFor();
});
