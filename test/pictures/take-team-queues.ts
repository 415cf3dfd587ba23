import type { Page } from 'playwright-core';

import type { Client } from '../../src/client/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import { deskPicture, picture, ROOT, SANDBOX, signIn, withPrograms } from './picture-programs.ts';

/**
 * `node test/pictures/take-team-queues.ts` takes the pictures of a team's queue in docs/rules.md again; it needs an
 * emoji font.
 */
const { mira } = DEMO.people;

await withPrograms(async ({ chat, service, browser }) => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await signIn(page, `${mira.firstName} ${mira.lastName}`);
  await settings(page);
  await ticket(page, service);
  await picture(browser, mira.id, 'team-queue-link', async (inChat) => {
    await inChat.goto(`${SANDBOX}/#general`);
    await inChat.getByText('deskbridge is connected').waitFor();
    await chat.command('general', 'mira', 'link People');
    await inChat.getByText('This channel is linked to').waitFor();
  });
});

/** What a change of the readers of IT would do. */
async function settings(page: Page): Promise<void> {
  await page.goto(`${ROOT}/settings/queues`);
  await page.getByRole('table').getByRole('link', { name: 'IT' }).click();
  await page.getByText('Only its team', { exact: true }).click();
  await page.getByRole('list', { name: 'These can always read it' }).waitFor();
  await deskPicture(page, 'team-queue-settings');
}

/** A ticket of People, with who can read it. */
async function ticket(page: Page, service: Client): Promise<void> {
  const { items } = await service.listTickets({ query: { search: 'days of leave', openFilter: true } });
  const [found] = items;
  if (!found) throw new Error('The demo has no open ticket about leave');
  await page.goto(`${ROOT}/tickets/${found.code}`);
  await page.getByRole('button', { name: 'Readers: The People team' }).click();
  const panel = page.getByRole('dialog', { name: 'Who can read this ticket' });
  await panel.getByText('Ben Okafor').waitFor();
  await deskPicture(page, 'team-queue-ticket');
}
