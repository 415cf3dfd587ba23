import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { startTestService } from '../service/harness.ts';
import { sender } from '../service/workflows/setup.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { command, typeAndChoose } from './by-keys.ts';
import { demoRecords } from './demo-records.ts';
import { isAsWide, openDeskAs } from './open-page.ts';
import { openSettings } from './open-settings.ts';

const browser = useBrowser();
const world = sharedWorld();
const { person, queueOf, newTicket, read } = demoRecords(world);

const SAM = { email: DEMO.people.sam.email };

async function show(page: Page, { code, title }: { code: string; title: string | null }): Promise<void> {
  await page.goto(`${world.urls.root}/tickets/${code}`);
  await page.getByRole('heading', { level: 1, name: title ?? code }).waitFor();
}
const readers = (page: Page, text: string) =>
  page.getByRole('button', { name: `Readers: ${text}`, exact: true });
const findings = (page: Page) => axeFindings(page, { every: true });

/** A queue for everybody, whose team is Mira. */
async function newQueue(name: string, prefix: string): Promise<string> {
  const { id: queueId } = await world.service.createQueue({ body: { name, prefix } });
  const mira = await person('mira');
  await world.service.updateUser({
    params: { id: mira.id },
    body: { queueIds: [...(mira.queueIds ?? []), queueId] },
  });
  return queueId;
}

test('a ticket says who can read it, and a move who gains and who loses it before it happens, by keys alone', async () => {
  const ticket = await newTicket('A raise for the night shift');
  const { page, problems } = await openDeskAs(browser, world, { width: 1440, height: 900 });
  await show(page, ticket);
  await readers(page, 'The whole workspace').press('Enter');
  const panel = page.getByRole('dialog', { name: 'Who can read this ticket' });
  await panel.getByText('Ada Reyes').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });

  const ask = async () => {
    await command(page, 'Queue…');
    await typeAndChoose(page, 'People');
    const dialog = page.getByRole('dialog', { name: `Move ${ticket.code} to People?` });
    // Ada asked, and Mira is its team: of the others nobody keeps it.
    const { items: people } = await world.service.listUsers({ query: { limit: 1000 } });
    const lose = people.filter(({ isBot }) => !isBot).length - 2;
    await dialog.getByText(`${lose} people can no longer read it`).waitFor();
    return dialog;
  };
  const dialog = await ask();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect((await read(ticket.id)).queueId).toBe(ticket.queueId);
  await ask();
  await dialog.getByRole('button', { name: 'Move' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Moved to').first().waitFor();
  expect((await read(ticket.id)).queueId).toBe(await queueOf('PPL'));
  await readers(page, 'The People team').waitFor();
  await page.getByTitle('The People team').waitFor();
  expect(problems).toEqual([]);

  // On a phone in the dark, and back again.
  await page.setViewportSize({ width: 390, height: 780 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('button', { name: 'Show or hide details' }).click();
  await readers(page, 'The People team').click();
  await panel.getByText('Others can’t see that the ticket exists').waitFor();
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Queue: / }).click();
  await typeAndChoose(page, 'IT');
  await page.getByText(/more people can read it/).waitFor();
  expect([await isAsWide(page), await findings(page)]).toEqual([true, []]);
});

test('what is in a channel in Slack is read there too, whatever the queue says: the readers say so', async () => {
  const service = await startTestService();
  const send = sender(service);
  const { id: userId } = await send('POST', '/users', { firstName: 'Mira', email: 'mira@acme.example' });
  const queue = await send('POST', '/queues', { name: 'Pay', prefix: 'PAY', autoAssignees: userId });
  await send('PUT', `/queues/${queue.id}`, { visibility: 'team' });
  for (const [channelId, channelName, isPrivate] of [
    ['C0PAYHELP', 'pay-help', false],
    ['C0BOARD', 'board', true],
  ])
    await send('PUT', '/chat-channels', {
      channelId,
      channelName,
      private: isPrivate,
      type: 'REQUEST',
      queueId: queue.id,
    });
  const { page, problems } = await openSettings(browser, service, 'queues');
  const { origin } = new URL(page.url());
  const panel = page.getByRole('dialog', { name: 'Who can read this ticket' });
  const cases = [
    { thread: undefined, said: undefined, more: 'Others can’t see that the ticket exists' },
    { thread: { channelId: 'D0ADA', type: 'DM' }, said: undefined, more: 'Others can’t see' },
    { thread: { channelId: 'C0TRIAGE', type: 'TRIAGE' }, said: undefined, more: 'Others can’t see' },
    {
      thread: { channelId: 'C0PAYHELP', type: 'REQUEST' },
      said: 'Everyone in #pay-help can see it.',
      more: 'anyone in Slack can join it',
    },
    {
      thread: { channelId: 'C0BOARD', type: 'REQUEST' },
      said: 'Everyone in #board can see it.',
      more: 'only members see it',
    },
    {
      thread: { channelId: 'C0OTHER', type: 'REQUEST' },
      said: 'Everyone in its channel in Slack can see it.',
      more: 'Its thread is there, without internal notes.',
    },
  ];
  for (const { thread, said, more } of cases) {
    const { id, code } = await send('POST', '/tickets', { title: `Pay of ${more}`, queueId: queue.id });
    if (thread)
      await send('PUT', `/tickets/${id}/chat-threads`, { ...thread, messageTs: '1790000000.000100' });
    await page.goto(`${origin}/tickets/${code}`);
    const row = page.getByRole('complementary', { name: 'About this ticket' }).locator('dl > div');
    const own = row.filter({ has: readers(page, 'The Pay team') });
    await own.waitFor();
    const shown = async () => (await own.innerText()).split('\n').at(-1);
    await until(`the readers of ${code}`, async () => (await shown()) === (said ?? 'The Pay team'));
    // The sign of a team's ticket promises that nobody else reads it.
    expect(await page.getByTitle('The Pay team').count()).toBe(said ? 0 : 1);
    await readers(page, 'The Pay team').click();
    await panel.getByText(more).waitFor();
    expect(await panel.getByText(said ?? 'in Slack').count()).toBe(said ? 1 : 0);
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
  }
  expect(problems.filter((each) => !/40[14]/.test(each))).toEqual([]);
});

test('between queues that everybody reads a ticket moves at once', async () => {
  const garden = await newQueue('Garden', 'GAR');
  const ticket = await newTicket('The hose leaks');
  const { page } = await openDeskAs(browser, world, { width: 1440, height: 900 });
  await show(page, ticket);
  await command(page, 'Queue…');
  await typeAndChoose(page, 'Garden');
  await until('it to be moved', async () => (await read(ticket.id)).queueId === garden);
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('somebody who is not of the team stands apart, is refused with the way to add them, and can be assigned then', async () => {
  const ticket = await newTicket('A payslip in euros', { queueId: await queueOf('PPL') });
  const sam = await person('sam');
  const { page } = await openDeskAs(browser, world, { width: 1440, height: 900 });
  await show(page, ticket);
  await page.keyboard.press('a');
  const list = page.getByRole('dialog', { name: 'Assignee' });
  await list
    .getByRole('group', { name: 'The People team' })
    .getByRole('option', { name: /Mira Lind/ })
    .waitFor();
  expect(await findings(page)).toEqual([]);
  await list
    .getByRole('group', { name: 'Not in the team' })
    .getByRole('option', { name: /Sam Parks/ })
    .click();
  await page.getByText('Only the team of People reads its tickets, and Sam Parks is not in it.').waitFor();
  expect((await read(ticket.id)).assigneeId).toBeNull();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('link', { name: 'Open Sam Parks' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Sam Parks' }).waitFor();
  await page.getByRole('button', { name: 'Add queue' }).click();
  await page
    .locator('[role=listbox]')
    .getByRole('option', { name: /People/ })
    .click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save access' }).click();
  await page.getByRole('button', { name: 'Save access' }).waitFor({ state: 'detached' });
  await show(page, ticket);
  await page.keyboard.press('a');
  await list
    .getByRole('group', { name: 'The People team' })
    .getByRole('option', { name: /Sam Parks/ })
    .click();
  await until('Sam to have it', async () => (await read(ticket.id)).assigneeId === sam.id);
  await world.service.updateTicket({ params: { id: ticket.id }, body: { data: { assigneeId: null } } });
  await world.service.updateUser({ params: { id: sam.id }, body: { queueIds: sam.queueIds } });
});

test('that an admin of no team opened a ticket stands in its conversation for the team', async () => {
  const ticket = await newTicket('Sick leave until May', { queueId: await queueOf('PPL') });
  const { items } = await world.service.listUsers({ query: { search: 'Lena' } });
  const lena = items[0]?.id ?? '';
  await world.service.updateUser({ params: { id: lena }, body: { role: 'admin' } });
  const { page: her } = await openDeskAs(browser, world, { email: 'lena@acme.example' });
  await show(her, ticket);
  const { page } = await openDeskAs(browser, world, { width: 1440, height: 900 });
  await show(page, ticket);
  await page.getByText('Lena Hoffmann opened this ticket as an admin, without being in the team').waitFor();
  expect(await findings(page)).toEqual([]);
  // So it does in the audit log, which leads to the ticket.
  await page.goto(`${world.urls.root}/settings/audit-log`);
  const entry = page.getByRole('listitem').filter({ hasText: 'Ticket of a team opened' });
  await entry.getByText('Lena Hoffmann').waitFor();
  expect(await findings(page)).toEqual([]);
  await entry.getByRole('link', { name: 'Show the ticket' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: ticket.title ?? '' }).waitFor();
  await world.service.updateUser({ params: { id: lena }, body: { role: 'requester' } });
});

test.each(['moved', 'private', 'switched'] as const)(
  'a ticket that a person may no longer read is gone from their open page, their list and this browser at once: %s',
  async (how) => {
    const queueId = await newQueue(`Lab ${how}`, `LAB${how.slice(0, 2).toUpperCase()}`);
    const [ticket, other] = [
      await newTicket(`Sample ${how} is lost`, { queueId }),
      await newTicket(`Sample ${how} is found`),
    ];
    const { page } = await openDeskAs(browser, world, { ...SAM, width: 1440, height: 900 });
    // Asking who else is there would find it too, some seconds later.
    await page.route('**/presence', (route) => route.fulfill({ status: 503, json: {} }));
    await show(page, other);
    const settled = page.waitForResponse(`**/tickets/${ticket.id}/read`);
    await show(page, ticket);
    await settled;
    await page.getByText('Only agents of the queue').waitFor();
    const row = (code: string) => page.locator(`[data-code="${code}"]`);
    await row(ticket.code).waitFor();
    const kept = `draft ${(await person('sam')).id} ${ticket.id}`;
    await page.evaluate(`localStorage.setItem(${JSON.stringify(kept)}, '{"content":"About the sample"}')`);

    const data = how === 'moved' ? { queueId: (await queueOf('PPL')) ?? '' } : { private: true };
    if (how === 'switched')
      await world.service.updateQueue({ params: { id: queueId }, body: { visibility: 'team' } });
    else await world.service.updateTicket({ params: { id: ticket.id }, body: { data } });
    await page.getByText(`You can no longer read ${ticket.code}`).waitFor();
    await row(ticket.code).waitFor({ state: 'detached' });
    expect(await page.getByText(ticket.title ?? '').count()).toBe(0);
    await until('the draft to be gone', async () =>
      page.evaluate<boolean>(`localStorage.getItem(${JSON.stringify(kept)}) === null`),
    );
    expect(await findings(page)).toEqual([]);

    // What is refused for this ticket is not taken for something that the service lacks: other drafts are stored still.
    await page.getByRole('link', { name: 'Back to the list' }).first().click();
    await row(other.code).click();
    await page.getByRole('textbox', { name: 'Reply to Ada Reyes' }).fill('In the fridge');
    await until('the draft at the service', async () => {
      const answer = await page.evaluate<{ content?: string } | null>(
        `fetch('/desk/api/tickets/${other.id}/draft').then((answer) => answer.json())`,
      );
      return answer?.content === 'In the fridge';
    });
  },
);

test('Sam, of IT, finds nothing of People at the desk', async () => {
  const { items } = await world.service.listTickets({ query: { queueId: await queueOf('PPL'), limit: 1 } });
  const [hidden] = items;
  const { page } = await openDeskAs(browser, world, { ...SAM, width: 1440, height: 900 });
  for (const path of [
    '/views/all',
    '/views/open',
    '/views/all?search=parental%20leave',
    '/views/all?search=payslip',
  ]) {
    await page.goto(`${world.urls.root}${path}`);
    await page.getByRole('main').waitFor();
    await until(`${path} to be read`, async () => (await page.getByLabel(/^Loading/).count()) === 0);
    const codes = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[data-code]')].map(({ dataset }) => dataset.code)`,
    );
    expect([path, codes.filter((code) => code.startsWith('PPL-'))]).toEqual([path, []]);
  }
  await page.goto(`${world.urls.root}/tickets/${hidden?.code ?? ''}`);
  await page.getByText(`There is no ${hidden?.code} here`).waitFor();
  expect(await findings(page)).toEqual([]);
  expect(await page.getByText(hidden?.title ?? '').count()).toBe(0);
  await page.goto(`${world.urls.root}/analytics`);
  await page.getByRole('table').first().waitFor();
  expect(await page.getByRole('row', { name: /People/ }).count()).toBe(0);
});
