import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import type { WorkflowOutline } from '../../src/service/workflow-config/outline.ts';
import { until } from '../harness/until.ts';
import { activateOutline } from '../harness/workflow-templates.ts';
import { sharedWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { demoRecords } from './demo-records.ts';
import { isAsWide, signedInPage } from './open-page.ts';

const browser = useBrowser();
const world = sharedWorld();
const { newTicket } = demoRecords(world);

const findings = (page: Page) => axeFindings(page, { every: true });

async function show(page: Page, { code, title }: { code: string; title: string | null }): Promise<void> {
  await page.goto(`${world.urls.root}/tickets/${code}`);
  await page.getByRole('heading', { level: 1, name: title ?? code }).waitFor();
}

const activate = (outline: Omit<WorkflowOutline, 'description'>) =>
  activateOutline(world.service, { description: `${outline.name}, it says`, ...outline });

const retire = (id: string) =>
  world.service.updateWorkflow({ params: { id }, body: { name: 'Retired', state: 'Deleted' } });

test('a ticket shows the runs of workflows, what each waits for and why one failed; by keys alone one is run, a failed step is skipped, and it goes on before one’s eyes', async () => {
  const { service } = world;
  const ticket = await newTicket('Grace starts on Monday');
  const { page, problems } = await signedInPage(browser, world, { width: 1440, height: 900 });
  await show(page, ticket);
  const section = page.getByRole('region', { name: 'Workflows' });
  await section.getByText('None has run on this ticket.').waitFor();
  expect(await findings(page)).toEqual([]);

  // Where none can be run, the dialog says what it takes.
  await page.keyboard.press('w');
  const dialog = page.getByRole('dialog', { name: `Run a workflow on ${ticket.code}` });
  await dialog.getByText('No workflow can be run by hand here').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  const tag = await service.createTag({ body: { name: 'newcomer' } });
  const ids = [
    await activate({
      name: 'Prepare a desk',
      steps: {
        run: ['It is run', 'ticket.run'],
        tag: ['Tag it', 'ticket.add-tags', { tagIds: [tag.id] }],
        wait: ['Wait for the requester', 'wait.for-reply', { minutes: 60 }],
        note: ['Leave a note', 'message.note', { content: 'The desk is ready' }],
      },
      leads: [
        ['run', 'tag'],
        ['tag', 'wait'],
        ['wait', 'note'],
      ],
    }),
    await activate({
      name: 'Order a badge',
      steps: { run: ['It is run', 'ticket.run'], note: ['Note', 'message.note', { content: 'Ordered' }] },
      leads: [['run', 'note']],
    }),
  ];
  await service.deleteTag({ params: { id: tag.id } });

  // By keys: chosen by its words, run, and failed at its first step.
  await page.keyboard.press('w');
  await dialog.getByRole('option', { name: 'Order a badge' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.type('desk');
  await dialog.getByRole('option', { name: 'Order a badge' }).waitFor({ state: 'hidden' });
  await dialog.locator('[role=option][data-focused]').waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByText('Prepare a desk, it says').waitFor();
  const runIt = dialog.getByRole('button', { name: 'Run', exact: true });
  await until('the button to be enabled', () => runIt.isEnabled());
  await runIt.press('Enter');
  await page.getByText(`Prepare a desk runs on ${ticket.code}`).waitFor();
  const run = section.getByRole('button', { name: /^Prepare a desk/ });
  await run.getByText('Failed: Tag it').waitFor();

  // Its steps say why; skipped, it waits for the requester.
  await run.press('Enter');
  const timeline = page.getByRole('dialog', { name: 'Prepare a desk' });
  await timeline.getByText('Run by Mira Lind').waitFor();
  await timeline.getByText(/\btag/).first().waitFor();
  expect(await findings(page)).toEqual([]);
  await timeline.getByRole('button', { name: 'Skip: Tag it' }).press('Enter');
  await timeline.getByText('Wait for the requester').waitFor();
  await timeline.getByText(/Waiting until \w{3} \d+, \d{4}, \d/).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await run.getByText('Waiting: Wait for the requester').waitFor();
  expect(await findings(page)).toEqual([]);

  // The reply ends its wait: that is seen without a touch.
  await service.createTicketMessage({
    body: { ticketId: ticket.id, authorId: ticket.requesterId, source: 'WEB', content: 'Thank you' },
  });
  await run.getByText('Finished').waitFor();
  for (const id of ids) await retire(id);
  expect(problems.filter((each) => !/404/.test(each))).toEqual([]);
});

test('on a phone and in the dark the runs of a ticket are read; an agent of another queue sees none of them', async () => {
  const { service } = world;
  const { id: queueId } = await service.createQueue({ body: { name: 'Lamps', prefix: 'LMP' } });
  const ticket = await newTicket('The lamp on floor 3 flickers', { queueId });
  const id = await activate({
    name: 'Look at lamps',
    steps: { run: ['It is run', 'ticket.run'], wait: ['Wait a day', 'wait.for', { minutes: 1440 }] },
    leads: [['run', 'wait']],
  });
  await service.runWorkflow({ params: { id }, body: { ticketId: ticket.id } });
  const { page } = await signedInPage(browser, world, { width: 390, height: 800, colorScheme: 'dark' });
  await show(page, ticket);
  await page.getByRole('button', { name: 'Show or hide details' }).click();
  const section = page.getByRole('region', { name: 'Workflows' });
  await section.getByText('Waiting: Wait a day').waitFor();
  expect([await findings(page), await isAsWide(page)]).toEqual([[], true]);
  await section.getByRole('button', { name: /^Look at lamps/ }).click();
  const timeline = page.getByRole('dialog', { name: 'Look at lamps' });
  await timeline.getByRole('button', { name: 'Stop this run' }).click();
  await timeline.getByText('Stopped').waitFor();
  expect([await findings(page), await isAsWide(page)]).toEqual([[], true]);

  // An agent reads this ticket, and not the notes of its queue.
  const { page: theirs } = await signedInPage(browser, world, {
    email: DEMO.people.sam.email,
    width: 1440,
    height: 900,
  });
  await show(theirs, ticket);
  await theirs.getByRole('region', { name: 'Requester' }).waitFor();
  expect(await theirs.getByText('Look at lamps').count()).toBe(0);
  expect(await theirs.getByRole('region', { name: 'Workflows' }).count()).toBe(0);
  await retire(id);
});
