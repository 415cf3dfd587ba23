import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { axeFindings, type OpenPage, useBrowser } from './browser.ts';
import { isAsWide, signedInPage } from './open-page.ts';

const world = sharedWorld();
const browser = useBrowser();

const { ada, ben, mira, sam } = DEMO.people;

const userOf = async (email: string) => {
  const { items } = await world.service.listUsers({ query: { email } });
  return items[0]?.id ?? '';
};
const queueOf = async (prefix: string) => {
  const { items } = await world.service.listQueues({});
  return items.find((queue) => queue.prefix === prefix)?.id ?? '';
};
const statusOf = async (label: string) => {
  const { items } = await world.service.listStatuses({});
  return items.find((status) => status.label === label)?.id ?? '';
};

/** A ticket of Ada in IT, which Mira looks after. */
async function newTicket(title: string, more: object = {}) {
  return world.service.createTicket({
    body: {
      title,
      description: 'It is the one by the window.',
      queueId: await queueOf('IT'),
      requesterId: await userOf(ada.email),
      assigneeId: await userOf(mira.email),
      ...more,
    },
  });
}

/** An empty page of somebody who asks; nothing that it asks for is refused. */
async function openAs({ email }: { email: string }, options: OpenPage = {}) {
  const opened = await signedInPage(browser, world, { email, ...options });
  const refused: string[] = [];
  const asked: string[] = [];
  opened.page.on('response', (response) => {
    asked.push(new URL(response.url()).pathname);
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  /** Nothing was refused or failed, nobody is unknown, and the page is accessible and no wider than the screen. */
  const expectWell = async () => {
    expect([refused, opened.problems]).toEqual([[], []]);
    const text = await opened.page.evaluate<string>('document.body.innerText');
    expect(text).not.toMatch(/Unknown person|Unassigned|\blate\b|First reply|SLA/);
    expect(await axeFindings(opened.page, { every: true })).toEqual([]);
    expect(await isAsWide(opened.page)).toBe(true);
    const outside = await opened.page.evaluate<string[]>(
      `[...document.querySelectorAll('a, button, h1, textarea')]
        .filter((each) => each.getBoundingClientRect().right > innerWidth).map((each) => each.textContent)`,
    );
    expect(outside).toEqual([]);
  };
  return { ...opened, asked, expectWell };
}

const read = (id: string) => world.service.readTicket({ params: { id } });
const messagesOf = async (ticketId: string) =>
  (await world.service.listTicketMessages({ query: { ticketId } })).items;
const open = async (page: Page, code: string) => {
  await page.goto(`${world.urls.root}/requests/${code}`);
  await page.getByRole('region', { name: 'What happens next' }).waitFor();
};

test.each([
  ['a desk', 1280, 800],
  ['a phone', 390, 844],
])(
  'who asks has a page of their own on %s, whatever address of the desk they open, and loads nothing of the desk',
  async (_, width, height) => {
    const ticket = await newTicket(`The printer is jammed at ${width}`);
    const { page, asked, expectWell } = await openAs(ada, { width, height });
    for (const [from, to] of [
      ['/', '/requests'],
      ['/views/unassigned?assigneeId=x', '/requests'],
      ['/settings/people', '/requests'],
      ['/analytics', '/requests'],
      ['/inbox', '/requests'],
      ['/account', '/requests/account'],
      ['/new', '/requests/new'],
      [`/tickets/${ticket.code}`, `/requests/${ticket.code}`],
    ] as const) {
      await page.goto(`${world.urls.root}${from}`);
      await until(`${from} to lead to ${to}`, async () => new URL(page.url()).pathname === to);
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
      await expectWell();
    }
    expect(asked.filter((path) => /\/main-[^/]*\.(js|css)$/.test(path))).toEqual([]);
    await page.getByText('Mira Lind is', { exact: false }).or(page.getByText('Mira Lind has')).waitFor();

    await page.getByRole('link', { name: 'My requests' }).first().click();
    const row = page.locator(`[data-code=${ticket.code}]`);
    await row.getByText('Mira Lind has it').waitFor();
    await expectWell();
  },
);

test('an agent who opens the address of a request is led to the desk', async () => {
  const { code } = await newTicket('The scanner is slow');
  const { page } = await signedInPage(browser, world);
  for (const [from, to] of [
    ['/requests', '/views/open'],
    ['/requests/new', '/new'],
    [`/requests/${code}`, `/tickets/${code}`],
  ] as const) {
    await page.goto(`${world.urls.root}${from}`);
    await page.getByRole('navigation', { name: 'Navigation' }).waitFor();
    await until(`${from} to lead to ${to}`, async () => new URL(page.url()).pathname === to);
  }
});

test('a request says when to expect an answer, in the reader’s own zone, and what is said reaches both sides', async () => {
  const ticket = await newTicket('The monitor flickers');
  const { page, expectWell } = await openAs(ada);
  await open(page, ticket.code);
  const next = page.getByRole('region', { name: 'What happens next' });
  const { expectedReplyAt } = await read(ticket.id);
  expect(expectedReplyAt).not.toBeNull();
  const time = await page.evaluate<string>(
    `new Date(Math.ceil(Date.parse(${JSON.stringify(expectedReplyAt)}) / 300_000) * 300_000)
      .toLocaleTimeString('en', { hour: 'numeric', minute: '2-digit' })`,
  );
  const words = await next.innerText();
  expect(words).toContain(`Mira Lind has got it: ${ticket.code}. You’ll usually hear back by`);
  expect(words.replaceAll(/\s/g, ' ')).toContain(`at ${time.replaceAll(/\s/g, ' ')}.`);

  const field = page.getByRole('textbox', { name: 'Reply' });
  await field.fill('It is worse in the morning.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('It is worse in the morning.').waitFor();
  await until('the reply at the service', async () => (await messagesOf(ticket.id)).length === 1);
  expect((await messagesOf(ticket.id))[0]).toMatchObject({
    authorId: await userOf(ada.email),
    private: false,
  });

  const authorId = await userOf(mira.email);
  await world.service.createTicketMessage({
    body: { ticketId: ticket.id, content: 'A new one is on its way.', authorId },
  });
  await world.service.createTicketMessage({
    body: { ticketId: ticket.id, content: 'Only for the team.', authorId, private: true },
  });
  await page.getByText('A new one is on its way.').waitFor();
  await next.getByText('Mira Lind has replied.').waitFor();
  expect(await page.getByText('Only for the team.').count()).toBe(0);
  await expectWell();
});

test('the list says who replied last, until who asked writes again; an address without a page says what to do', async () => {
  const ticket = await newTicket('The kettle leaks', { assigneeId: null });
  const { page, expectWell } = await openAs(ada);
  const row = page.locator(`[data-code=${ticket.code}]`);
  const write = async ({ email }: { email: string }, content: string) => {
    const authorId = await userOf(email);
    await world.service.createTicketMessage({ body: { ticketId: ticket.id, authorId, content } });
  };
  await page.goto(`${world.urls.root}/requests`);
  await row.getByText('IT has it').waitFor();
  await write(sam, 'Which kettle?');
  await row.getByText('Sam Parks replied').waitFor();
  await write(ada, 'The red one');
  await row.getByText('IT has it').waitFor();
  await expectWell();

  await page.goto(`${world.urls.root}/requests/no/such`);
  await page.getByRole('heading', { level: 1, name: 'We couldn’t find that page' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'New request' }).click();
  await page.getByRole('heading', { level: 1, name: 'New request' }).waitFor();
  await expectWell();
});

test('a message that arrives has its writer’s name before they are read', async () => {
  const ticket = await newTicket('The blinds are stuck');
  const { page, expectWell } = await openAs(ada);
  await open(page, ticket.code);
  const people = '**/desk/api/users?**';
  const mayBeRead = Promise.withResolvers<true>();
  await page.route(people, async (route) => {
    await mayBeRead.promise;
    await route.continue();
  });
  const areAskedFor = page.waitForRequest(people);
  await world.service.createTicketMessage({
    body: { ticketId: ticket.id, content: 'I am on my way.', authorId: await userOf(sam.email) },
  });
  const message = page.getByRole('listitem').filter({ hasText: 'I am on my way.' });
  await message.waitFor();
  await areAskedFor;
  expect(await message.getByRole('strong').innerText()).toBe(`${sam.firstName} ${sam.lastName}`);
  const areRead = page.waitForResponse(people);
  mayBeRead.resolve(true);
  await areRead;
  expect(await message.getByRole('strong').innerText()).toBe(`${sam.firstName} ${sam.lastName}`);
  await expectWell();
});

test('a file is sent with a reply', async () => {
  const ticket = await newTicket('The badge is broken');
  const { page, expectWell } = await openAs(ada);
  await open(page, ticket.code);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  await (
    await chooser
  ).setFiles({ name: 'badge.txt', mimeType: 'text/plain', buffer: Buffer.from('a badge') });
  await page.getByRole('textbox', { name: 'Reply' }).fill('This is it.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await until('the file at the service', async () => {
    const [message] = await messagesOf(ticket.id);
    return message?.files?.[0]?.name === 'badge.txt';
  });
  await page
    .getByRole('button', { name: /badge\.txt/ })
    .or(page.getByRole('link', { name: /badge\.txt/ }))
    .first()
    .waitFor();
  await expectWell();
});

test('a request is closed and opened again by who asked; the focus of the button that goes is not lost', async () => {
  const ticket = await newTicket('The door squeaks', { statusId: await statusOf('In Progress') });
  const { page, expectWell } = await openAs(ada);
  await open(page, ticket.code);
  await page.getByText(`Mira Lind is working on ${ticket.code}.`).waitFor();
  await page.getByRole('button', { name: 'Close request' }).press('Enter');
  await page.getByText(`${ticket.code} is closed. If you still need help, reopen it.`).waitFor();
  await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();
  await until('it to be closed', async () => (await read(ticket.id)).status.label === 'Closed');
  expect(await page.getByRole('textbox', { name: 'Reply' }).count()).toBe(0);
  await expectWell();
  await page.getByRole('button', { name: 'Reopen' }).click();
  await page.getByRole('textbox', { name: 'Reply' }).waitFor();
  await until('it to be open', async () => (await read(ticket.id)).status.label === 'Open');
  await expectWell();
});

test('a request is reopened before its closing was answered', async () => {
  const ticket = await newTicket('The window sticks', { statusId: await statusOf('In Progress') });
  const { page, expectWell } = await openAs(ada);
  await open(page, ticket.code);
  const isPressed = Promise.withResolvers<true>();
  await page.route(`**/tickets/${ticket.id}`, async (route) => {
    if (route.request().method() === 'PUT') await isPressed.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Close request' }).click();
  await page.getByRole('button', { name: 'Reopen' }).click();
  expect((await read(ticket.id)).status.label).toBe('In Progress');
  isPressed.resolve(true);
  await until('it to be open', async () => (await read(ticket.id)).status.label === 'Open');
  await page.getByRole('textbox', { name: 'Reply' }).waitFor();
  await expectWell();
});

test('a request that is reopened without a word is not said to have a new message', async () => {
  const ticket = await newTicket('The tap drips', { statusId: await statusOf('Open') });
  for (const [email, content] of [
    [mira.email, 'I turned it off.'],
    [ada.email, 'Thank you!'],
  ] as const)
    await world.service.createTicketMessage({
      body: { ticketId: ticket.id, content, authorId: await userOf(email) },
    });
  const { page, expectWell } = await openAs(ada);
  await open(page, ticket.code);
  await page.getByRole('button', { name: 'Close request' }).click();
  await page.getByRole('button', { name: 'Reopen' }).click();
  const next = page.getByRole('region', { name: 'What happens next' });
  await next.getByText('Mira Lind has your request and your latest message.').waitFor();
  await expectWell();
});

test('help that is done is rated, with a comment', async () => {
  const ticket = await newTicket('The chair is low');
  await world.service.updateTicket({
    params: { id: ticket.id },
    body: { data: { statusId: await statusOf('Done') } },
  });
  const { page, expectWell } = await openAs(ada, { width: 390, height: 844 });
  await open(page, ticket.code);
  await page.getByRole('button', { name: 'Send rating' }).click();
  await page.getByText('Choose one of the five.').waitFor();
  await page.getByText('4Good').click();
  await page.getByRole('textbox', { name: 'Comment (optional)' }).fill('Quick and kind');
  await expectWell();
  await page.getByRole('button', { name: 'Send rating' }).click();
  await page.getByText('You rated this 4 out of 5.').waitFor();
  expect((await read(ticket.id)).csat).toEqual([
    expect.objectContaining({ score: 4, feedback: 'Quick and kind' }),
  ]);
  await expectWell();
});

test('an approver decides, and who asked reads what was decided', async () => {
  const asked = { approverIds: [await userOf(ben.email)] };
  const [one, other] = [await newTicket('A second screen', asked), await newTicket('A third screen', asked)];
  await world.service.updateUser({
    params: { id: await userOf(ben.email) },
    body: { role: 'requester' },
  });
  const bens = await openAs(ben);
  await bens.page.goto(world.urls.root);
  await bens.page.getByRole('region', { name: 'Waiting for your approval' }).waitFor();
  await bens.page.locator(`[data-code=${one.code}]`).getByText('from Ada Reyes').waitFor();
  await bens.expectWell();
  await open(bens.page, one.code);
  await bens.page.getByText('Ada Reyes asks for your approval.').waitFor();
  await bens.page.getByRole('button', { name: 'Approve', exact: true }).click();
  await bens.page.getByText(`Approved by ${ben.firstName}`).waitFor();
  expect((await read(one.id)).metadata.approval).toMatchObject({ decision: 'approved' });
  await open(bens.page, other.code);
  await bens.page.getByRole('button', { name: 'Decline…' }).click();
  await bens.page.getByRole('textbox', { name: 'Reason' }).fill('Two are enough');
  await bens.page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
  await bens.page.getByText(`Declined by ${ben.firstName}`).waitFor();
  await bens.expectWell();

  const { page, expectWell } = await openAs(ada);
  await open(page, other.code);
  const next = page.getByRole('region', { name: 'What happens next' });
  await next.getByText('declined this: Two are enough. Reply if you have questions.').waitFor();
  expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
  await expectWell();
});

test.each([
  ['Open', 'Two are enough', 'Ben Okafor declined this: Two are enough. Reply if you have questions.'],
  ['In Progress', 'Why two?', 'Ben Okafor declined this: Why two? Reply if you have questions.'],
  ['Waiting', undefined, 'Ben Okafor declined this. Reply if you have questions.'],
] as const)(
  'what happens next with a declined request that is %s begins with that, and the list says it',
  async (status, reason, words) => {
    const benId = await userOf(ben.email);
    const ticket = await newTicket(`A screen, ${status}`, { approverIds: [benId] });
    await world.service.updateTicket({
      params: { id: ticket.id },
      body: { data: { declinedAt: new Date().toISOString() }, reason, approverId: benId },
    });
    await world.service.updateTicket({
      params: { id: ticket.id },
      body: { data: { statusId: await statusOf(status) } },
    });
    const { page, expectWell } = await openAs(ada);
    await open(page, ticket.code);
    const next = page.getByRole('region', { name: 'What happens next' });
    await next.getByText(words, { exact: true }).waitFor();
    await expectWell();
    await page.goto(`${world.urls.root}/requests`);
    await page.locator(`[data-code=${ticket.code}]`).getByText('It was declined').waitFor();
    await expectWell();
  },
);

test.each([
  ['a desk', 1280, 800],
  ['a phone', 390, 844],
])('a new request is sent by its form on %s', async (_, width, height) => {
  const { page, expectWell } = await openAs(ada, { width, height });
  await page.goto(world.urls.root);
  await page.getByRole('link', { name: 'New request' }).click();
  await page.getByRole('heading', { name: 'New request' }).waitFor();
  await expectWell();
  await page.getByRole('button', { name: /^What is it about/ }).click();
  await page.getByRole('option', { name: 'Something else' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill(`A lamp for ${width}`);
  await page.getByRole('textbox', { name: 'Description' }).fill('It is dark here.');
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByRole('region', { name: 'What happens next' }).waitFor();
  await page.getByRole('heading', { name: `A lamp for ${width}` }).waitFor();
  const { items } = await world.service.listTickets({ query: { search: `A lamp for ${width}` } });
  expect(items[0]).toMatchObject({ requesterId: await userOf(ada.email), source: 'WEB' });
  await expectWell();
});

test('a request shows what was filled in on its form, and none of what was not asked', async () => {
  const { service } = world;
  const field = async (label: string) => service.createCustomField({ body: { label, type: 'TEXT' } });
  const [room, colour, shelf] = [await field('Room'), await field('Colour'), await field('Shelf')];
  const type = await service.saveRequestType({
    body: {
      name: 'Furniture',
      published: true,
      formEnabled: true,
      customFields: [room, colour].map(({ id }, order) => ({ customFieldId: id, order })),
    },
  });
  const ticket = await newTicket('A desk by the window', {
    requestTypeId: type.id,
    customFields: { [room.key]: 'Second floor, on the left' },
  });
  const { page, expectWell } = await openAs(ada);
  await open(page, ticket.code);
  const answers = page.getByRole('region', { name: 'What you filled in' });
  await answers.getByText('Second floor, on the left').waitFor();
  expect(await answers.getByRole('term').allInnerTexts()).toEqual(['Room']);
  expect(await page.getByText(shelf.label).count()).toBe(0);
  await expectWell();
});

test.each([
  ['a desk', 1280, 800],
  ['a phone', 390, 844],
])('requests are searched by their words on %s', async (_, width, height) => {
  const [wanted, other] = [
    await newTicket(`The kettle of ${width} leaks`),
    await newTicket(`The toaster of ${width} smokes`),
  ];
  const { page, expectWell } = await openAs(ada, { width, height });
  const field = page.getByRole('searchbox', { name: 'Search your requests' });
  const row = ({ code }: { code: string }) => page.locator(`[data-code=${code}]`);
  await page.goto(world.urls.root);
  await row(other).waitFor();
  await field.fill(`kettle ${width}`);
  await page.getByRole('heading', { name: 'One request has these words' }).waitFor();
  await row(wanted).waitFor();
  expect(await row(other).count()).toBe(0);
  await expectWell();
  await field.fill('a word of no request');
  await page.getByText('Try fewer words, or ask as a new request.').waitFor();
  await expectWell();
  await field.press('Escape');
  await row(other).waitFor();
});

test('a request that was merged leads to the one that it goes on as, and is not reopened', async () => {
  const [from, into] = [await newTicket('No wifi'), await newTicket('Wifi is down')];
  await world.service.mergeTicket({ params: { id: from.id }, body: { intoId: into.id } });
  const { page, expectWell } = await openAs(ada);
  await open(page, from.code);
  await page.getByText(`${from.code} continues as ${into.code}.`).waitFor();
  expect(await page.getByRole('button', { name: /Reopen|Close request/ }).count()).toBe(0);
  await expectWell();
  await page.getByRole('link', { name: into.code, exact: true }).click();
  await page.getByRole('heading', { name: 'Wifi is down' }).waitFor();
});

test('a request from Slack leads to its thread, and says who reads a reply there', async () => {
  const { bot } = await world.chat.state();
  const root = await world.chat.say('it-help', 'ada', `<@${bot}> My laptop does not charge at all`);
  const { code } = await ticketAt(world.service, root.ts);
  const { page, expectWell } = await openAs(ada, { width: 390, height: 844 });
  await open(page, code);
  await page.getByText('You’ll usually hear back by').waitFor();
  const link = page.getByRole('link', { name: 'Open in Slack' });
  await link.waitFor();
  expect(await link.getAttribute('href')).toContain(root.ts);
  // On a phone, too.
  await page.getByText('Everyone in its channel in Slack can see it.').waitFor();
  await expectWell();
});

test('requests that may already answer it are shown while typing a new one', async () => {
  const requesterId = await userOf(ada.email);
  await newTicket('My badge does not open the door');
  // A ticket is found by meaning once it is indexed.
  await until('the index', async () => {
    const found = await world.service.semanticSearch({ query: { query: 'badge door', requesterId } });
    return found.items.length > 0;
  });
  const { page, expectWell } = await openAs(ada, { colorScheme: 'dark' });
  await page.goto(`${world.urls.root}/requests/new`);
  await page.getByLabel('Title').fill('Badge does not open the door');
  const similar = page.getByRole('region', { name: 'These may already answer it' });
  await similar.getByText('with Mira Lind').waitFor();
  await expectWell();
  await similar.getByRole('link', { name: /My badge/ }).click();
  await page.getByRole('heading', { name: 'My badge does not open the door' }).waitFor();
  await expectWell();
});
