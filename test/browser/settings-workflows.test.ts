import { sql } from 'kysely';
import { expect, test } from 'vitest';

import { contentOf, when } from '../../src/service/workflow-config/outline.ts';
import { until } from '../harness/until.ts';
import { startTestService } from '../service/harness.ts';
import { create } from '../service/tickets/requests.ts';
import { messagesOf, onlyRun, readWorkflow, runs, sender, settledIn } from '../service/workflows/setup.ts';
import { openTables } from '../service/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { isAsWide } from './open-page.ts';
import { openSettings } from './open-settings.ts';

const browser = useBrowser();

test('a workflow is tried on a ticket and switched on at the desk, a failed step of its run is shown with its reason and skipped, and a template is copied', async () => {
  const service = await startTestService();
  const send = sender(service);
  const tag = await send('POST', '/tags', { name: 'vpn' });
  const { id } = await send('POST', '/workflows', {
    name: 'Tag and tell',
    description: 'Tags new tickets',
    ...contentOf({
      steps: {
        opened: ['A ticket is opened', 'ticket.created'],
        tag: ['Tag it', 'ticket.add-tags', { tagIds: [tag.id] }],
        tell: ['Leave a note', 'message.note', { content: 'Tagged' }],
      },
      leads: [
        ['opened', 'tag'],
        ['tag', 'tell'],
      ],
    }),
  });
  const { page, problems } = await openSettings(browser, service, 'workflows');
  await page.getByRole('link', { name: 'Tag and tell' }).click();
  await page.getByText('It has not run yet').waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);

  // Tried on a ticket, it shows what it would do, and does nothing.
  await create(service);
  await page.getByLabel('Ticket', { exact: true }).fill('HELP-1');
  await page.getByRole('button', { name: 'Try it on this ticket' }).click();
  const tried = page.getByRole('region', { name: 'Try it' });
  await tried.getByText('Leave a note').waitFor();
  expect(await messagesOf(service, 'HELP-1')).toEqual([]);
  expect(await axeFindings(page, { every: true })).toEqual([]);

  // Switched on, it runs; its step fails, because the tag is gone.
  await page.getByText('It starts runs.').click();
  await until('it to be active', async () => (await send('GET', `/workflows/${id}`)).state === 'Active');
  await send('DELETE', `/tags/${tag.id}`);
  await create(service);
  await settledIn(service);
  await page.getByRole('button', { name: 'Show the run on HELP-2' }).click();
  const run = page.getByRole('dialog', { name: 'Tag and tell' });
  await run.getByText(/\btag/).first().waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await isAsWide(page)).toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });
  await run.getByRole('button', { name: 'Skip: Tag it' }).click();
  await page.getByText('The step is skipped').waitFor();
  await run.getByText('Finished').waitFor();
  await page.keyboard.press('Escape');
  await run.waitFor({ state: 'hidden' });
  await settledIn(service);
  expect((await onlyRun(service)).state).toBe('finished');

  // A template has no switch; a copy of it is a draft.
  await page.getByRole('link', { name: 'Workflows' }).first().click();
  await page.getByRole('link', { name: 'Approval', exact: true }).click();
  await page.getByRole('button', { name: 'Use this template' }).click();
  await page.getByText('It has not run yet').waitFor();
  await page.getByText('It starts runs.').click();
  await page.getByText('Ask for approval: This step needs a value here').first().waitFor();
  expect(problems.filter((each) => !/401|422/.test(each))).toEqual([]);
});

test('what a workflow does is told in words, without references, field names, JSON or ids of the API', async () => {
  const service = await startTestService();
  const send = sender(service);
  const tag = await send('POST', '/tags', { name: 'vpn' });
  const queue = await send('POST', '/queues', { name: 'Garden', prefix: 'GAR' });
  await send('POST', '/workflows', {
    name: 'All kinds of values',
    ...contentOf({
      steps: {
        changed: [
          'It moves',
          'ticket.updated',
          { fields: ['statusId', 'assigneeId'], statusGroup: 'PENDING' },
        ],
        update: [
          'Write fields',
          'ticket.update',
          { data: { priority: 'HIGH', queueId: queue.id, private: true } },
        ],
        tag: ['Tag it', 'ticket.add-tags', { ticketId: 'changed', tagIds: [tag.id] }],
        wait: ['Wait', 'wait.for-reply', { from: 'team', minutes: 4320 }],
        tell: ['Tell', 'message.reply', { content: '{{ticket.code}} since {{changed.at}}' }],
      },
      leads: [
        ['changed', 'update', when('queueId', 'equals', queue.id)],
        ['update', 'tag'],
        ['tag', 'wait'],
        ['wait', 'tell', when('wait.answered', 'equals', 'false')],
      ],
    }),
  });
  const { page } = await openSettings(browser, service, 'workflows');
  const names = page.getByRole('main').getByRole('table').getByRole('link');
  await names.filter({ hasText: 'Onboarding' }).waitFor();
  const steps = page.getByRole('region', { name: 'Steps' });
  for (const name of await names.allInnerTexts()) {
    await page.getByRole('link', { name, exact: true }).click();
    // With the words of the catalogue, which comes by itself.
    await steps
      .getByText(/^(When|At a time)/)
      .first()
      .waitFor();
    const text = await steps.innerText();
    expect([name, text.match(/[{}]|\b[a-z]+[A-Z]\w*|\b[A-Z]{3,}\b|\b(?:que|tag|usr)_\w+/g)]).toEqual([
      name,
      null,
    ]);
    expect([name, await axeFindings(page, { every: true })]).toEqual([name, []]);
    if (name === 'All kinds of values')
      for (const words of [
        'status, assignee',
        'Waiting',
        'Garden',
        'from “It moves”',
        '4,320 (3d)',
        '[ticket reference] since [“It moves” (time)]',
        'If queue is Garden: Write fields',
        'If “Wait” (answered) is No: Tell',
      ])
        expect(text).toContain(words);
    await page.getByRole('link', { name: 'Workflows' }).first().click();
  }
});

test('where tickets match a workflow already, the desk says how many before it is activated, and includes them only if the person wants it', async () => {
  const service = await startTestService();
  const send = sender(service);
  const { db } = openTables(service);
  const waited = async () => {
    const { id } = await create(service);
    await sql`update ticket set created_at = created_at - interval '2 hours' where id = ${id}`.execute(db);
  };
  const idle = (minutes: number) =>
    contentOf({
      steps: {
        idle: ['Nothing happens', 'ticket.idle', { minutes }],
        note: ['Note', 'message.note', { content: 'Nobody has looked at it' }],
      },
      leads: [['idle', 'note']],
    });
  const { id } = await send('POST', '/workflows', { name: 'Look after it', ...idle(60) });
  await waited();
  await waited();
  const stateNow = async () => (await readWorkflow(service, id)).state;
  const { page, problems } = await openSettings(browser, service, 'workflows');
  await page.getByRole('link', { name: 'Look after it' }).click();
  const turn = () => page.getByText('It starts runs.').click();
  const isOn = page.getByRole('switch', { name: 'Active' });
  const question = page.getByRole('dialog', { name: 'Activate Look after it' });

  // It is called off, and nothing has changed.
  await turn();
  await question.getByText('2 tickets match already').waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await isAsWide(page)).toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });
  await until('the switch to be off', async () => !(await isOn.isChecked()));
  expect(await stateNow()).toBe('Draft');

  // They are left out.
  await turn();
  await question.getByRole('button', { name: 'Leave them out' }).click();
  await page.getByText('Saved').waitFor();
  expect(await stateNow()).toBe('Active');
  await settledIn(service);
  expect(await runs(service)).toEqual([]);

  // A change of the trigger asks again; another ticket matches meanwhile, so its number is to be confirmed.
  await send('PUT', `/workflows/${id}`, { name: 'Look after it', ...idle(90) });
  await page.reload();
  const publish = page.getByRole('button', { name: 'Publish' });
  await publish.click();
  await question.getByText('2 tickets match already').waitFor();
  await waited();
  await question.getByRole('button', { name: 'Include 2 tickets' }).click();
  await page.getByText('3 tickets match already, not 2').waitFor();
  await publish.click();
  await question.getByRole('button', { name: 'Include 3 tickets' }).click();
  await page.getByText('The changes are published').waitFor();
  await settledIn(service);
  expect(await runs(service)).toHaveLength(3);

  // None matches: nothing is asked.
  await turn();
  await until('it to be a draft', async () => (await stateNow()) === 'Draft');
  await send('PUT', `/workflows/${id}`, { name: 'Look after it', ...idle(240) });
  await page.reload();
  await turn();
  await until('it to be active', async () => (await stateNow()) === 'Active');
  expect(problems.filter((each) => !/401|409/.test(each))).toEqual([]);
});
