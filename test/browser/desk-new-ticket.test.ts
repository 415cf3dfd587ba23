import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { isAsWide, signedInPage } from './open-page.ts';
import { choose } from './open-settings.ts';

const browser = useBrowser();
const world = sharedWorld();

const open = async (email?: string) => {
  const { page, problems } = await signedInPage(browser, world, { email });
  await page.goto(`${world.urls.root}/new`);
  await page.getByRole('heading', { name: 'New ticket' }).waitFor();
  return { page, problems };
};

/** A request type with a required choice, and a question that depends on it. */
async function requestType(): Promise<string> {
  const { service } = world;
  const field = (body: Parameters<typeof service.createCustomField>[0]['body']) =>
    service.createCustomField({ body });
  const device = await field({
    label: 'Gadget',
    type: 'SELECT',
    options: [
      { value: 'Laptop', order: 0 },
      { value: 'Phone', order: 1 },
    ],
  });
  const count = await field({ label: 'How many gadgets', type: 'NUMBER' });
  const { name } = await service.saveRequestType({
    body: {
      name: 'Order a device',
      published: true,
      formEnabled: true,
      customFields: [
        { customFieldId: device.id, order: 0, required: true },
        {
          customFieldId: count.id,
          order: 1,
          required: true,
          parentId: device.id,
          dependsOnValue: 'Laptop',
        },
      ],
    },
  });
  return name;
}

test('an agent creates a ticket for a requester with the questions of its request type; errors stand beside their fields, and a reload keeps what was typed', async () => {
  const { service } = world;
  const name = await requestType();
  const { page, problems } = await open();
  const latest = async () => {
    const { items } = await service.listTickets({
      query: { sortBy: 'createdAt', sortDirection: 'desc', limit: 1 },
    });
    return items[0];
  };

  // The requester is nobody at first, and has to be chosen.
  await page.getByRole('button', { name: 'Requester: Select a requester' }).waitFor();
  await choose(page, 'Request type', name);
  await page.getByRole('button', { name: /^Gadget: / }).waitFor();
  expect(await page.getByLabel('How many gadgets').count()).toBe(0);
  await page.getByRole('button', { name: /^Create ticket/ }).click();
  await page.getByRole('group', { name: 'Requester' }).getByText('Select a requester.').waitFor();
  await page.getByRole('group', { name: 'Gadget' }).getByText('Answer this.').waitFor();
  await page.getByText('Enter a title.').waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);

  // A required choice does not offer none.
  await page.getByRole('button', { name: /^Gadget: / }).click();
  await page.getByRole('option', { name: 'Phone' }).waitFor();
  expect(await page.getByRole('option').allInnerTexts()).toEqual(['Laptop', 'Phone']);
  await page.keyboard.press('Escape');

  // A question appears with the answer that it depends on.
  await choose(page, 'Gadget', 'Laptop');
  await page.getByLabel('How many gadgets').fill('two');
  await page.getByLabel('Title').fill('x'.repeat(460));
  await page.getByText('40 characters left').waitFor();
  await page.getByLabel('Title').fill('Laptops for the new colleagues');
  await page.getByLabel('Description').fill('They start on Monday.');
  await page.getByLabel('Description').selectText();
  await page.getByRole('button', { name: 'Bold' }).click();
  await page.reload();
  await until(
    'what was typed',
    async () => (await page.getByLabel('Description').inputValue()) === '**They start on Monday.**',
  );
  await choose(page, 'Requester', /^Ada Reyes/);
  await page.getByLabel('Title').press('Control+Enter');
  await page.getByText('Enter a number.').waitFor();
  await page.getByLabel('How many gadgets').fill('2');
  await choose(page, 'Priority', 'High');
  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
  await page.getByLabel('How many gadgets').press('Control+Enter');
  await page.waitForURL(/\/tickets\//);
  const ticket = await latest();
  const ada = (await service.listUsers({ query: { search: 'Ada', limit: 1 } })).items[0];
  expect(ticket).toMatchObject({
    title: 'Laptops for the new colleagues',
    description: '**They start on Monday.**',
    priority: 'HIGH',
    requesterId: ada?.id,
  });
  const { customFields } = await service.readTicket({ params: { id: ticket?.id ?? '' } });
  expect(Object.values(customFields)).toEqual(expect.arrayContaining(['Laptop', 2]));
  // The next form is empty.
  await page.goto(`${world.urls.root}/new`);
  expect(await page.getByLabel('Title').inputValue()).toBe('');
  expect(problems).toEqual([]);
});

test('an agent logs a ticket for somebody with assignee, tags and priority, privately; who logged it is shown, and they are told in Slack', async () => {
  const { service, chat } = world;
  const person = async (email: string) => (await service.listUsers({ query: { email } })).items[0]?.id;
  const { page, problems } = await open();
  await choose(page, 'Requester', 'Ben Okafor');
  await choose(page, 'Assignee', 'Sam Parks');
  await choose(page, 'Priority', 'High');
  await page.getByRole('button', { name: /^Tags/ }).click();
  const tag = page.getByRole('option').first();
  const name = (await tag.innerText()).trim();
  await tag.click();
  await page.keyboard.press('Escape');
  await page.getByLabel('Title').fill('Badge of Ben is lost');
  await page.getByLabel('Description').fill('Ben called: his badge is lost.');
  await page.getByRole('switch', { name: /^Private/ }).press('Space');
  expect(await page.getByRole('switch', { name: /^Notify Ben Okafor in Slack/ }).isChecked()).toBe(true);
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await page.waitForURL(/\/tickets\//);
  const { items } = await service.listTickets({ query: { search: 'Badge of Ben' } });
  const [ticket] = items;
  expect(ticket).toMatchObject({
    priority: 'HIGH',
    private: true,
    requesterId: await person('ben@acme.example'),
    authorId: await person('mira@acme.example'),
    assigneeId: await person('sam@acme.example'),
    tags: [expect.objectContaining({ name })],
  });
  await page.getByText('logged this for Ben Okafor').waitFor();
  await until('his card', async () =>
    JSON.stringify(await chat.messages('@deskbridge', 'ben')).includes('Badge of Ben is lost'),
  );
  expect(problems).toEqual([]);
});
