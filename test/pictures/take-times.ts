import type { Page } from 'playwright-core';

import type { Client } from '../../src/client/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import { deskPicture, PHONE, ROOT, signIn, withPrograms } from './picture-programs.ts';

/** `node test/pictures/take-times.ts` takes the pictures of times again: of the SLA report, a pause and an absence. */
const { mira } = DEMO.people;
const NAME = `${mira.firstName} ${mira.lastName}`;
const MINUTE_MS = 60_000;
const WIDE = { width: 1440, height: 900 };

await withPrograms(async ({ service, browser }) => {
  const page = await browser.newPage({ viewport: WIDE });
  await signIn(page, NAME);
  await paused(page, service);
  await absence(page, service);
  for (const [name, colorScheme, viewport] of [
    ['', 'light', WIDE],
    ['-dark', 'dark', WIDE],
    ['-phone', 'light', PHONE],
  ] as const) {
    const context = await browser.newContext({ viewport, colorScheme });
    const report = await context.newPage();
    await signIn(report, NAME);
    await report.goto(`${ROOT}/analytics?tab=sla&range=13w`);
    await report.getByRole('img', { name: /^Line chart of First reply/ }).waitFor();
    await deskPicture(report, `desk-sla${name}`);
    if (name === '') {
      await report.evaluate(`document.querySelector('section[aria-label="Breaches"]').scrollIntoView()`);
      await deskPicture(report, 'desk-sla-breaches');
    }
    await context.close();
  }
});

/** A ticket that waited for its requester and does again, with the history that says so; its assignee is away. */
async function paused(page: Page, service: Client): Promise<void> {
  const [ada] = (await service.listUsers({ query: { search: DEMO.people.ada.email } })).items;
  const queue = (await service.listQueues({})).items.find(({ prefix }) => prefix === 'IT');
  const { items: statuses } = await service.listStatuses({});
  const ticket = await service.createTicket({
    body: {
      title: 'The projector in room 4 shows no picture',
      description: 'It hums, but the screen stays blue.',
      requesterId: ada?.id ?? null,
      queueId: queue?.id ?? null,
      assigneeId: await awayAgent(service),
      priority: 'MEDIUM',
    },
  });
  const set = async (label: string) => {
    const statusId = statuses.find((status) => status.label === label)?.id ?? '';
    await service.updateTicket({ params: { id: ticket.id }, body: { data: { statusId } } });
  };
  await set('Waiting');
  await page.goto(`${ROOT}/tickets/${ticket.code}`);
  await page.getByText('Targets are paused while waiting for the requester').waitFor();
  // So that the pause has a length.
  await page.waitForTimeout(MINUTE_MS);
  await set('Open');
  await page.getByText('Targets resumed after a pause of 1m').waitFor();
  await set('Waiting');
  await page.getByRole('button', { name: /more changes/ }).click();
  await page.getByText('Targets are paused while waiting for the requester').last().waitFor();
  await deskPicture(page, 'desk-paused');
  await page.keyboard.press('a');
  await page.getByRole('option', { name: /Away until/ }).waitFor();
  await deskPicture(page, 'desk-away');
}

/** The agent of the demo who is away. */
async function awayAgent(service: Client): Promise<string> {
  const { items } = await service.listUsers({ query: { limit: 1000 } });
  const away = items.find(({ absence }) => absence);
  if (!away) throw new Error('nobody is away');
  return away.id;
}

/** The absence in settings. */
async function absence(page: Page, service: Client): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 1240 });
  await page.goto(`${ROOT}/settings/people/${await awayAgent(service)}`);
  await page.getByRole('heading', { level: 1 }).getByText('Away until').waitFor();
  await page.getByRole('button', { name: /^Remove the absence/ }).waitFor();
  await deskPicture(page, 'desk-absence');
}
