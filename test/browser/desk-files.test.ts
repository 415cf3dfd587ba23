import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { isAsWide, signedInPage } from './open-page.ts';
import { choose } from './open-settings.ts';

const browser = useBrowser();
const world = sharedWorld();

const ada = async () => {
  const { items } = await world.service.listUsers({ query: { search: 'Ada', limit: 1 } });
  return items[0];
};
async function open(path: string) {
  const { page, problems } = await signedInPage(browser, world);
  await page.goto(`${world.urls.root}${path}`);
  return { page, problems };
}
const files = (page: Page) => page.getByRole('list', { name: 'Attached files' });
const text = (name: string) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(`the words of ${name}`),
});
const picture = async (name: string) => ({
  name,
  mimeType: 'image/png',
  buffer: await sharp({ create: { width: 900, height: 500, channels: 3, background: '#4a7' } })
    .png()
    .toBuffer(),
});

/** Pastes or drops a text file. */
const give = (page: Page, how: 'paste' | 'drop', name: string) =>
  page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File(['the words of ${name}'], '${name}'));
    const options = { bubbles: true, cancelable: true };
    document.querySelector('textarea[aria-label^="Reply"]').dispatchEvent('${how}' === 'paste'
      ? new ClipboardEvent('paste', { ...options, clipboardData: data })
      : new DragEvent('drop', { ...options, dataTransfer: data }));
  }`);

interface Draft {
  files: { id: string; name: string }[];
}

/** The reply to a ticket, on its page. */
interface Reply {
  page: Page;
  ticketId: string;
  field: Locator;
  pick: Locator;
  /** The draft at the service. */
  draft: () => Promise<Draft | null>;
}

const shownFiles = (page: Page) => files(page).getByRole('listitem').allInnerTexts();

test('files of a reply are picked, pasted and dropped; one that fails is tried again or taken off, one under way is cancelled; a draft keeps them, and pictures and texts open in place', async () => {
  const { service } = world;
  const requesterId = (await ada())?.id;
  const queueId = (await service.listQueues({})).items.find(({ prefix }) => prefix === 'IT')?.id;
  const ticket = await service.createTicket({ body: { title: 'The lamp flickers', requesterId, queueId } });
  const { page, problems } = await open(`/tickets/${ticket.code}`);
  const reply: Reply = {
    page,
    ticketId: ticket.id,
    field: page.getByRole('textbox', { name: 'Reply to Ada Reyes' }),
    pick: page.locator('input[type=file]'),
    draft: () =>
      page.evaluate<Draft | null>(`fetch('/desk/api/tickets/${ticket.id}/draft').then((it) => it.json())`),
  };
  await reply.field.waitFor();
  await retryOrRemoveFailedUpload(reply);
  await cancelUploadUnderWay(reply);
  await pasteAndDrop(reply);
  await keepFilesInDraft(reply);
  await sendFiles(reply);
  await openFilesInPlace(page);
  await sendPictureWithoutText(reply);
  expect(problems.filter((each) => !/ERR_FAILED/.test(each))).toEqual([]);
});

async function retryOrRemoveFailedUpload({ page, pick }: Reply): Promise<void> {
  await page.route('**/desk/tickets/*/files', (route) => route.abort());
  await pick.setInputFiles([await picture('screen.png'), text('never.txt')]);
  await page.getByText('Not uploaded: The desk cannot be reached.').nth(1).waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.getByRole('button', { name: 'Remove never.txt' }).click();
  await page.unroute('**/desk/tickets/*/files');
  await page.getByRole('button', { name: 'Retry screen.png' }).click();
  await files(page).locator('img').waitFor();
  await page.getByRole('status').getByText('1 file is attached').waitFor();
  expect(await page.getByText('Not uploaded').count()).toBe(0);
}

/** Nothing can be sent until it is there or cancelled. */
async function cancelUploadUnderWay({ page, pick }: Reply): Promise<void> {
  await page.route('**/desk/tickets/*/files', () => undefined);
  await pick.setInputFiles(text('large.txt'));
  await page.getByRole('progressbar', { name: 'Uploading large.txt' }).waitFor();
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.getByRole('button', { name: 'Cancel large.txt' }).click();
  await until('the button', () => page.getByRole('button', { name: 'Send', exact: true }).isEnabled());
  expect(await shownFiles(page)).toEqual(['screen.png']);
  await page.unroute('**/desk/tickets/*/files');
}

async function pasteAndDrop({ page }: Reply): Promise<void> {
  await give(page, 'paste', 'pasted.txt');
  await page.getByRole('button', { name: 'Remove pasted.txt' }).waitFor();
  await give(page, 'drop', 'dropped.txt');
  await page.getByRole('button', { name: 'Remove dropped.txt' }).waitFor();
  expect(await shownFiles(page)).toEqual(['screen.png', 'pasted.txt', 'dropped.txt']);
}

/** In this browser, and at the service. */
async function keepFilesInDraft({ page, draft }: Reply): Promise<void> {
  await until('the stored draft', async () => (await draft())?.files.length === 3);
  await page.reload();
  await until('the files', async () => (await shownFiles(page)).length === 3);
  await page.evaluate('localStorage.clear()');
  await page.reload();
  await until('the files of the service', async () => (await shownFiles(page)).length === 3);
}

const sentMessage = (page: Page) => page.locator('li[data-kind]').filter({ hasText: 'Look at these' });

async function storedMessages(ticketId: string) {
  return (await world.service.listTicketMessages({ query: { ticketId } })).items;
}

async function sendFiles({ page, ticketId, field, draft }: Reply): Promise<void> {
  await page.getByRole('button', { name: 'Remove dropped.txt' }).click();
  await field.fill('Look at these');
  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
  await field.press('Control+Enter');
  await sentMessage(page)
    .getByRole('link', { name: /^File pasted\.txt/ })
    .waitFor();
  // Once more: it is sent at once.
  await field.press('Control+Enter');
  await until('the message', async () =>
    (await storedMessages(ticketId)).some(
      (one) =>
        one.files
          ?.map(({ name }) => name)
          .toSorted()
          .join() === 'pasted.txt,screen.png',
    ),
  );
  await until('no draft', async () => (await draft()) === null);
  await page.locator('li[data-scheduled]').waitFor({ state: 'detached' });
  expect(await files(page).count()).toBe(0);
}

async function openFilesInPlace(page: Page): Promise<void> {
  const message = sentMessage(page);
  await message.getByRole('link', { name: /^File screen\.png/ }).click();
  const dialog = page.getByRole('dialog', { name: 'screen.png' });
  await dialog.getByRole('img', { name: 'screen.png' }).waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.keyboard.press('Escape');
  await message.getByRole('link', { name: /^File pasted\.txt/ }).click();
  await page.getByRole('dialog', { name: 'pasted.txt' }).getByText('the words of pasted.txt').waitFor();
  await page.getByRole('link', { name: 'Download' }).waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.keyboard.press('Escape');
}

async function sendPictureWithoutText({ page, ticketId, pick, draft }: Reply): Promise<void> {
  await pick.setInputFiles(await picture('alone.png'));
  await files(page).locator('img').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await until('the message of a file alone', async () =>
    (await storedMessages(ticketId)).some(
      ({ content, files: its }) => content === 'alone.png' && its?.length === 1,
    ),
  );
  await until('no draft of it', async () => (await draft()) === null);
}

test('a new ticket takes files, and its request type asks for some; both are kept until it is created, without those that are gone', async () => {
  const { service } = world;
  const photo = await service.createCustomField({ body: { label: 'Photo', type: 'FILE_PICKER' } });
  const { name } = await service.saveRequestType({
    body: {
      name: 'Damage',
      published: true,
      formEnabled: true,
      customFields: [{ customFieldId: photo.id, order: 0, required: true }],
    },
  });
  const { page, problems } = await open('/new');
  await choose(page, 'Requester', /^Ada Reyes/);
  await choose(page, 'Request type', name);
  await page.getByLabel('Title').fill('A broken window');
  await page.getByRole('button', { name: /^Create ticket/ }).click();
  const question = page.getByRole('group', { name: 'Photo' });
  await question.getByText('Answer this.').waitFor();
  const gone = page.waitForResponse((response) => response.url().includes('/desk/files'));
  await page
    .locator('input[type=file]')
    .last()
    .setInputFiles([text('gone.txt'), text('plan.txt')]);
  const { id } = (await (await gone).json()) as { id: string };
  await page.getByRole('button', { name: 'Remove plan.txt' }).waitFor();
  await question.locator('input[type=file]').setInputFiles(await picture('my photo.png'));
  await question.locator('img').waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);

  await service.deleteFile({ params: { id } });
  await page.reload();
  await page.getByRole('button', { name: 'Remove my photo.png' }).waitFor();
  await until(
    'the others',
    async () => (await page.getByRole('button', { name: /gone\.txt/ }).count()) === 0,
  );
  await page.getByRole('button', { name: /^Create ticket/ }).click();
  await page.waitForURL(/\/tickets\//);

  const [ticket] = (await service.listTickets({ query: { search: 'A broken window' } })).items;
  const { files: attached, customFields } = await service.readTicket({ params: { id: ticket?.id ?? '' } });
  expect(attached?.map((file) => file.name).toSorted()).toEqual(['my photo.png', 'plan.txt']);
  const [address = ''] = customFields[photo.key] as string[];
  expect(address).toBe(
    `${world.urls.root}/desk/files/${attached?.find((file) => file.name === 'my photo.png')?.id ?? ''}#my%20photo.png`,
  );
  const link = page.getByRole('link', { name: 'my photo.png', exact: true });
  await link.waitFor();
  expect(await link.getAttribute('href')).toBe(address);
  expect(await page.evaluate(`fetch(${JSON.stringify(address)}).then((it) => it.status)`)).toBe(200);
  // The one that is gone answers 404.
  expect(problems.filter((each) => !/404/.test(each))).toEqual([]);
});
