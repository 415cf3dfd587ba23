import { isDeepStrictEqual } from 'node:util';

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import type { Answer } from '../../src/client/index.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { until } from '../harness/until.ts';
import { type Running, startTestService } from '../service/harness.ts';
import { openDesk } from '../desk/open-desk.ts';

const browser = useBrowser();

type Ticket = Answer<'readTicket'>;

/** A request type with a field of each of these types, labelled by its type, and the people of a desk. */
async function deskOf({ call }: Running, kinds: Record<string, object>) {
  const person = async (firstName: string, lastName: string) =>
    (await call('POST', '/users', { body: { firstName, lastName, email: `${firstName}@acme.example` } })).body
      .id;
  const people = {
    mira: await person('Mira', 'Lind'),
    sam: await person('Sam', 'Parks'),
    ada: await person('Ada', 'Reyes'),
  };
  const fields = await Promise.all(
    Object.entries(kinds).map(async ([type, more]) => {
      const body = { label: type.toLowerCase(), key: type.toLowerCase(), type, ...more };
      return (await call('POST', '/custom-fields', { body })).body.id;
    }),
  );
  const { body: form } = await call('POST', '/request-types', {
    body: {
      name: 'New colleague',
      formEnabled: true,
      published: true,
      customFields: fields.map((customFieldId, order) => ({ customFieldId, order })),
    },
  });
  return { people, form };
}

/** The desk as Mira sees it, without live updates: she only notices the changes of others when she writes. */
async function openAsMira({ url, token }: Running, address: string): Promise<Page> {
  const desk = await openDesk(url);
  const { page } = await browser.open(desk.url);
  await page.route('**/desk/live', (route) => route.abort());
  await page.getByLabel('API key').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await pick(page, 'Your name', 'Mira Lind');
  await page.getByRole('button', { name: 'Mira Lind' }).waitFor();
  await page.goto(`${desk.url}/${address}`);
  return page;
}

/** A person's full name, typed. */
async function pick(page: Page, label: string, name: string): Promise<void> {
  const field = page.getByLabel(label);
  await field.fill(name);
  await page
    .locator(`#${(await field.getAttribute('list')) ?? ''} option[value^="${name}"]`)
    .waitFor({ state: 'attached' });
  await field.press('Enter');
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

test('a ticket’s texts, fields and approval are edited at the desk: newer changes are never overwritten unseen, typed text stays, and a change can be undone', async () => {
  const service = await startTestService();
  const { call } = service;
  const { people, form } = await deskOf(service, {
    TEXT: {},
    NUMBER: {},
    SELECT: { options: [{ value: 'Oslo' }, { value: 'Lagos' }] },
    MULTI_SELECT: { options: [{ value: 'Badge' }, { value: 'Laptop' }] },
    USER_MULTI_SELECT: {},
    BOOLEAN: {},
    FILE_PICKER: {},
  });
  const { body: made } = await call('POST', '/tickets', {
    body: {
      ...{ title: 'A lamp', description: 'It is dark', requesterId: people.ada, requestTypeId: form.id },
      ...{ approverIds: [people.mira], customFields: { file_picker: ['javascript:alert(1)'] } },
    },
  });
  await call('POST', `/tickets/${made.id}/csat`, {
    body: { score: 4, feedback: 'Quick', userId: people.ada },
  });
  const ticket = async () => (await call('GET', `/tickets/${made.id}`)).body as unknown as Ticket;
  const becomes = (what: string, is: (record: Ticket) => boolean) =>
    until(what, async () => is(await ticket()), { seen: ticket });
  const others = (data: object) => call('PUT', `/tickets/${made.id}`, { body: { data } });
  const page = await openAsMira(service, `#/tickets/${made.code}`);
  const facts = page.getByRole('complementary', { name: 'About this ticket' });
  const priority = facts.getByLabel('Priority');
  await heading(page, 'A lamp').waitFor();
  await page.getByRole('img', { name: '4 of 5' }).waitFor();

  // Title and description by keyboard; a failed save keeps the typed text.
  await page.keyboard.press('e');
  await page.getByLabel('Title').fill('Two lamps');
  expect(await axeFindings(page)).toEqual([]);
  const writing = '**/desk/api/tickets/*';
  await page.route(writing, (route) => route.abort());
  await page.keyboard.press('Control+Enter');
  await page.locator('.refusal', { hasText: 'The desk cannot be reached' }).waitFor();
  expect(await page.getByLabel('Title').inputValue()).toBe('Two lamps');
  await page.unroute(writing);
  await page.keyboard.press('Control+Enter');
  await heading(page, 'Two lamps').waitFor();
  expect(await ticket()).toMatchObject({ title: 'Two lamps', description: 'It is dark' });

  // A concurrent change of another user is shown before it is replaced.
  await page.getByRole('button', { name: 'Edit title and description' }).click();
  await page.getByLabel('Description').fill('It is very dark');
  await others({ description: 'It is dim' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('status').getByText('It is dim').waitFor();
  expect(await ticket()).toMatchObject({ description: 'It is dim' });
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save mine' }).click();
  await becomes('her description', ({ description }) => description === 'It is very dark');

  const height = async () => (await facts.getByLabel('Badge').boundingBox())?.y;
  const before = await height();
  await priority.selectOption('HIGH');
  await facts.getByText('Saved. Undo').waitFor();
  expect(await height()).toBe(before);
  await facts.getByRole('button', { name: 'Undo' }).click();
  await becomes('the priority of before', (record) => record.priority === 'MEDIUM');
  await priority.selectOption('URGENT');
  await facts.getByText('Saved. Undo').waitFor();
  await others({ priority: 'LOW' });
  await page.locator('h1').last().focus();
  await page.keyboard.press('z');
  await facts.getByText('so nothing was undone').waitFor();
  // The next change of others must not be loaded yet: the save has to detect it.
  await until('the current priority', async () => (await priority.inputValue()) === 'LOW');
  await others({ priority: 'HIGH' });
  await priority.selectOption('NO_PRIORITY');
  await facts.getByText('Choose again').waitFor();
  expect(await ticket()).toMatchObject({ priority: 'HIGH' });

  // Custom fields by type; an unsafe URL is not a link.
  expect(await facts.locator('a[href^="javascript"]').count()).toBe(0);
  await facts.getByLabel('text', { exact: true }).fill('by the door');
  await facts.getByLabel('number').fill('4.5');
  await facts.getByRole('combobox', { name: /^select\b/ }).selectOption('Lagos');
  await facts.getByLabel('boolean').selectOption('No');
  await facts.getByLabel('Badge').check();
  await facts.getByLabel('Laptop').check();
  await facts.getByLabel('Address of a file').fill('https://files.example/plan%20b.pdf');
  await page.keyboard.press('Enter');
  await pick(page, 'Add to user_multi_select', 'Sam Parks');
  await facts.getByRole('button', { name: 'Remove Sam Parks' }).waitFor();
  await facts.getByRole('link', { name: 'plan b.pdf' }).waitFor();
  const wanted = {
    ...{
      text: 'by the door',
      number: 4.5,
      select: 'Lagos',
      boolean: false,
      user_multi_select: [people.sam],
    },
    ...{ multi_select: ['Badge', 'Laptop'] },
    file_picker: ['javascript:alert(1)', 'https://files.example/plan%20b.pdf'],
  };
  await becomes('each field as it was given', ({ customFields }) => isDeepStrictEqual(customFields, wanted));
  expect(await axeFindings(page)).toEqual([]);

  // A user who starts a reply sees who else is answering.
  await call('PUT', `/tickets/${made.id}/claim`, { body: { userId: people.sam } });
  await page.getByLabel('Reply to Ada Reyes').pressSequentially('H');
  await page.getByText('Sam Parks is answering this ticket right now').waitFor();

  await facts.getByRole('button', { name: 'Decline…' }).click();
  await page.getByLabel('Why is it declined?').fill('There are lamps enough');
  expect(await axeFindings(page)).toEqual([]);
  await facts.getByRole('button', { name: 'Decline', exact: true }).click();
  await facts.getByText('Declined by Mira Lind: There are lamps enough').waitFor();
  const { metadata } = await ticket();
  expect(metadata.approval).toMatchObject({ userId: people.mira, reason: 'There are lamps enough' });
}, 60_000);

test('B62 the form for a new ticket asks for people, tags and files, and shows similar tickets; the search shows why it found a ticket and its scope', async () => {
  const service = await startTestService();
  const { call } = service;
  const { body: tag } = await call('POST', '/tags', { body: { name: 'onboarding' } });
  const { people } = await deskOf(service, {
    USER_MULTI_SELECT: {},
    TAG_SELECT: {},
    FILE_PICKER: {},
    DATETIME: {},
  });
  const { body: solved } = await call('POST', '/tickets', {
    body: { title: 'New laptops for everybody', assigneeId: people.sam },
  });
  const { items: statuses } = (await call('GET', '/statuses')).body;
  const statusId = statuses.find(({ label }) => label === 'Done')?.id ?? '';
  await call('PUT', `/tickets/${solved.id}`, { body: { data: { statusId } } });
  const page = await openAsMira(service, '#/new');
  await page.getByLabel('What is it about?').selectOption({ label: 'New colleague' });
  await page.getByLabel('Title').fill('A new laptop');
  const answers = page.getByRole('region', { name: 'These may already answer it' });
  await answers.getByText('New laptops for everybody').waitFor();
  await answers.getByText('solved by Sam Parks').waitFor();
  for (const name of ['Sam Parks', 'Ada Reyes']) {
    await pick(page, 'Add to user_multi_select', name);
    await page.getByRole('button', { name: `Remove ${name}` }).waitFor();
  }
  await page.getByLabel('Add to tag_select').selectOption({ label: 'onboarding' });
  await page.getByLabel('Address of a file').fill('https://files.example/desk.png');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByLabel('datetime').fill('2026-11-30T09:15');
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await heading(page, 'A new laptop').waitFor();
  const { body } = await call('GET', '/tickets?search=laptop&openFilter=true');
  const { body: made } = await call('GET', `/tickets/${body.items[0]?.id ?? ''}`);
  expect(made).toMatchObject({
    customFields: {
      user_multi_select: [people.sam, people.ada],
      tag_select: [tag.id],
      file_picker: ['https://files.example/desk.png'],
      datetime: new Date('2026-11-30T09:15').toISOString(),
    },
  });

  const similar = page.getByRole('region', { name: 'Similar tickets' });
  await similar.getByRole('link', { name: 'New laptops for everybody' }).waitFor();
  await similar.getByText('solved by Sam Parks').waitFor();

  await call('POST', '/tickets', {
    body: { title: 'The coffee machine leaks', description: 'Beside <b>the sink</b>' },
  });
  await page.getByRole('link', { name: 'Open', exact: true }).click();
  const rows = page.locator('.row');
  await rows.filter({ hasText: 'coffee' }).waitFor();
  // A view is searched, with a link to search all tickets.
  await page.getByLabel('Search tickets').fill('laptops');
  await page.getByText('1 of open tickets, best first').waitFor();
  expect(await rows.locator('.title').allInnerTexts()).toEqual(['A new laptop']);
  expect(await rows.locator('mark').allInnerTexts()).toEqual(['laptop']);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('link', { name: 'Search all tickets' }).click();
  await page.getByText('2 of all tickets, open and closed').waitFor();
  expect(await rows.locator('mark').allInnerTexts()).toEqual(['laptop', 'laptops']);
  // Highlights in a description show it as plain text.
  await page.getByLabel('Search tickets').fill('sink');
  await rows.filter({ hasText: 'coffee' }).locator('mark', { hasText: 'sink' }).waitFor();
  expect(await rows.locator('b').count()).toBe(0);
  await page.getByRole('link', { name: 'Mine', exact: true }).click();
  await page.getByLabel('Search tickets').fill('coffee');
  await page.getByText('Nothing found for “coffee” in open tickets with you.').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('link', { name: 'Search all tickets' }).click();
  await rows.filter({ hasText: 'coffee' }).waitFor();
}, 60_000);
