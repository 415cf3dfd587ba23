import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { customFieldType, type CustomFieldType } from '../../src/contract/index.ts';
import type { Client } from '../../src/client/index.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { startForeignService } from '../harness/foreign-service.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';
import { answerInChat, openForm, type Seen, seenInChat, seenInPreview } from './form-in-chat.ts';
import { startTestService } from '../service/harness.ts';
import { isAsWide } from './open-page.ts';
import { choose, openSettings, openSettingsAsAdmin } from './open-settings.ts';

const browser = useBrowser();

/** A request type with every type of question, each with a hint and a placeholder. */
async function everyKind(service: Client): Promise<string> {
  const fields: string[] = [];
  const make = async (
    label: string,
    type: CustomFieldType,
    more: { config?: Record<string, unknown> } = {},
  ) => {
    const options = type.endsWith('SELECT') && !/USER|TAG|PRIORITY|STATUS/.test(type);
    const { id } = await service.createCustomField({
      body: {
        label,
        type,
        description: `About ${label} & more`,
        config: { placeholder: `Say ${label}` },
        ...(options && { options: [{ value: 'One', description: 'the first' }, { value: 'Two' }] }),
        ...more,
      },
    });
    fields.push(id);
  };
  for (const type of customFieldType.options) await make(`Every ${type}`, type);
  await make('An address', 'TEXT', { config: { format: 'email' } });
  await make('A page', 'TEXT', { config: { format: 'url' } });
  const { id } = await service.saveRequestType({
    body: {
      name: 'Everything',
      emoji: '🧰',
      description: 'Whatever <you> need.',
      isPrivate: true,
      formEnabled: true,
      published: true,
      customFields: fields.map((customFieldId, order) => ({ customFieldId, required: order % 2 === 0 })),
    },
  });
  return id;
}

/**
 * The preview equals the form in chat, except that the preview's menu of request types names the edited one,
 * and that chat shows its own text in a field without a placeholder.
 */
function expectAlike(preview: readonly Seen[], chat: readonly Seen[]): void {
  const [, ...inChat] = chat;
  const [, ...inPreview] = preview.map(({ placeholder, ...part }, index) =>
    chat[index]?.placeholder === undefined ? part : { ...part, placeholder },
  );
  expect(inPreview).toEqual(inChat);
}

/** Adds a question and opens its fields. */
async function addQuestion(page: Page, kind: string): Promise<void> {
  await page.getByRole('button', { name: 'Add question', exact: true }).click();
  await page.getByRole('option', { name: kind, exact: true }).click();
}

type RequestType = Awaited<ReturnType<Client['readRequestType']>>;

/** The editor of a request type at the desk, next to its preview. */
interface Editor {
  page: Page;
  preview: Locator;
  save: Locator;
  tab: (name: string) => Promise<void>;
  world: World;
  /** The request type that the test creates, as it is stored. */
  visitor: () => Promise<RequestType | undefined>;
}

test('B37 a request type is created at the desk, and its preview is the form in chat: labels, types, order, hints, choices and required fields', async () => {
  const world = await startWorld({ CHAT_SETTINGS_SECONDS: '0' });
  const { service } = world;
  const everything = await everyKind(service);
  const { page, problems } = await openSettingsAsAdmin(browser, world, `request-types/${everything}`);
  const editor: Editor = {
    page,
    preview: page.getByRole('group', { name: 'New ticket' }),
    save: page.getByRole('button', { name: 'Save', exact: true }),
    tab: (name) => page.getByRole('tab', { name }).click(),
    world,
    visitor: async () => {
      const { items } = await service.listRequestTypes({ query: { search: 'Visitor' } });
      return items.find(({ name }) => name === 'Visitor');
    },
  };
  await previewEveryQuestion(editor, everything);
  await beginVisitor(editor);
  await askDependentQuestion(editor);
  await moveQuestionByKeyboard(editor);
  const visitor = await saveAfterFailure(editor);
  await previewIsFormInChat(editor, visitor);
  await keepConcurrentChange(editor, visitor.id);
  await removeQuestion(editor);
  expect(problems.filter((each) => !/401|ERR_FAILED/.test(each))).toEqual([]);
  await removeOnPhone(editor);
  await collect(editor, everything);
});

/** Of every type. */
async function previewEveryQuestion({ page, preview, world }: Editor, everything: string): Promise<void> {
  await preview.getByLabel('A page').waitFor();
  const inPreview = await seenInPreview(page);
  const inChat = seenInChat(await openForm(world.chat, 'ben', everything));
  expect(inPreview).toHaveLength(customFieldType.options.length + 6);
  expectAlike(inPreview, inChat);
  expect(await axeFindings(page, { every: true })).toEqual([]);
}

/** Fills in all but its questions. */
async function beginVisitor({ page, tab }: Editor): Promise<void> {
  await page.getByRole('link', { name: 'Request types' }).first().click();
  await page.getByRole('link', { name: 'Everything' }).waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
  await page.getByRole('link', { name: 'New request type' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Visitor');
  await page.getByLabel('Emoji', { exact: true }).fill('👋');
  await page.getByLabel('Description').first().fill('Somebody comes to see us.');
  await tab('Ticket defaults');
  await choose(page, 'Queue of its tickets', /^People/);
  await tab('Form');
}

/** The preview asks it as the form in chat does: once the question that it depends on has its answer. */
async function askDependentQuestion({ page, preview }: Editor): Promise<void> {
  const words = page.getByLabel('Words', { exact: true });
  await addQuestion(page, 'a day');
  await words.fill('When do they come?');
  await addQuestion(page, 'one of several choices');
  await words.fill('Why do they come?');
  await page.getByLabel('Choices, one per line').fill('Interview\nDelivery\n');
  await page.getByRole('switch', { name: 'Required' }).press(' ');
  const reason = preview.getByLabel('Why do they come?');
  await reason.locator('option', { hasText: 'Interview' }).waitFor({ state: 'attached' });
  const drawn = Promise.withResolvers<undefined>();
  await page.route('**/desk/form-preview', async (route) => {
    await drawn.promise;
    await route.continue().catch(() => undefined);
  });
  await addQuestion(page, 'a person');
  await words.fill('Who leads the interview?');
  await page.getByLabel('Hint below it').fill('They get an invitation.');
  await choose(page, 'It is asked', 'depending on “Why do they come?”');
  await choose(page, 'Where the answer is', 'Interview');
  // The answer is chosen while the preview with the dependent question is still loading.
  await reason.selectOption({ label: 'Interview' });
  drawn.resolve(undefined);
  await preview.getByLabel('When do they come?').waitFor();
  await preview.getByLabel('Who leads the interview?').waitFor();
  await reason.selectOption({ label: 'Delivery' });
  await preview.getByLabel('Who leads the interview?').waitFor({ state: 'detached' });
  await reason.selectOption({ label: 'Interview' });
  await preview.getByLabel('Who leads the interview?').waitFor();
  expect(await axeFindings(page, { every: true })).toEqual([]);
}

/** The question moves to the top, and the focus stays with it. */
async function moveQuestionByKeyboard({ page, preview }: Editor): Promise<void> {
  await page.getByRole('button', { name: 'Move “Why do they come?”', exact: true }).focus();
  await page.keyboard.press('ArrowUp');
  await until('the reason to be the first', async () =>
    /Why[^]*When/.test((await preview.textContent()) ?? ''),
  );
  await until(
    'the focus to stay with it',
    async () =>
      (await page.evaluate<string>('document.activeElement.getAttribute("aria-label")')) ===
      'Move “Why do they come?”',
  );
}

/** A draft that cannot be saved stays, even when the tab is reloaded; nothing is created twice. */
async function saveAfterFailure({ page, save, world, visitor }: Editor): Promise<RequestType> {
  await page.route('**/desk/api/request-types', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  await save.click();
  await page.getByText('The desk cannot be reached').waitFor();
  await page.unroute('**/desk/api/request-types');
  await page.reload();
  await page.getByText('Not saved yet').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Visitor');
  await save.click();
  await page.getByRole('heading', { level: 1, name: 'Visitor' }).waitFor();
  await until('it to be saved', async () => (await page.getByText('Not saved yet').count()) === 0);
  const made = await visitor();
  expect(made).toMatchObject({ emoji: '👋', description: 'Somebody comes to see us.', formEnabled: true });
  expect(
    made?.customFields.map(({ customField, required }) => [customField.label, customField.type, required]),
  ).toEqual([
    ['Why do they come?', 'SELECT', true],
    ['When do they come?', 'DATE', false],
    ['Who leads the interview?', 'USER_SELECT', false],
  ]);
  const { items: fields } = await world.service.listCustomFields({ query: { search: 'they come' } });
  expect(fields).toHaveLength(2);
  if (!made) throw new Error('no request type was created');
  return made;
}

/** Before and after the answer that another question depends on. */
async function previewIsFormInChat({ page, preview, world }: Editor, made: RequestType): Promise<void> {
  const { chat } = world;
  await preview.getByLabel('Why do they come?').waitFor();
  const opened = await openForm(chat, 'ben', made.id);
  expectAlike(await seenInPreview(page), seenInChat(opened));
  const interview = made.customFields[0]?.customField.options[0]?.id ?? '';
  const block =
    opened.blocks.find(({ element }) => JSON.stringify(element ?? {}).includes(interview))?.block_id ?? '';
  await preview.getByLabel('Why do they come?').selectOption({ label: 'Interview' });
  await preview.getByLabel('Who leads the interview?').waitFor();
  const asked = seenInChat(await answerInChat(chat, 'ben', opened, [block, interview, 'Who leads']));
  expect(asked.at(-1)).toMatchObject({ kind: 'people', hint: 'They get an invitation.', optional: true });
  expectAlike(await seenInPreview(page), asked);
}

/** A concurrent change of another user is not overwritten without asking. */
async function keepConcurrentChange({ page, save, world, visitor }: Editor, id: string): Promise<void> {
  const description = page.getByLabel('Description').first();
  await description.fill('Mine.');
  await world.service.updateRequestType({ params: { id }, body: { description: 'Of somebody else.' } });
  await save.click();
  await page.getByText('Another user changed this request type').waitFor();
  expect((await visitor())?.description).toBe('Of somebody else.');
  await save.click();
  await until('mine', async () => (await visitor())?.description === 'Mine.');
}

async function removeQuestion({ page, save, visitor }: Editor): Promise<void> {
  await page.getByRole('button', { name: 'Remove “When do they come?”' }).click();
  await save.click();
  await until('the question to be gone', async () => (await visitor())?.customFields.length === 2);
}

/** There the preview is below the editor. */
async function removeOnPhone({ page, save, visitor }: Editor): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  const previewTop = (await page.locator('[data-preview]').boundingBox())?.y ?? 0;
  expect(previewTop).toBeGreaterThan((await save.boundingBox())?.y ?? Infinity);
  expect([await isAsWide(page), await axeFindings(page, { every: true })]).toEqual([true, []]);
  await page.getByRole('button', { name: 'Remove this request type' }).click();
  await page.getByRole('dialog').getByLabel('Type “Visitor” to confirm').fill('Visitor');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove this request type' }).click();
  await page.getByRole('link', { name: 'New collection' }).waitFor();
  await until('it to be removed', async () => (await visitor()) === undefined);
}

/** Puts a request type into a new collection. */
async function collect({ page, save, world }: Editor, requestType: string): Promise<void> {
  await page.getByRole('link', { name: 'New collection' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Odds and ends');
  await save.click();
  await page.getByRole('heading', { level: 1, name: 'Odds and ends' }).waitFor();
  await page.goto(`${world.urls.root}/settings/request-types/${requestType}#offer`);
  await choose(page, 'Collection', 'Odds and ends');
  await save.click();
  await until('its collection', async () => {
    const { parent } = await world.service.readRequestType({ params: { id: requestType } });
    return parent?.name === 'Odds and ends';
  });
}

test('with a service that only has the published operations, request types are named at the desk, and the page says what cannot be changed', async () => {
  const service = await startTestService();
  const { body: made } = await service.call('POST', '/request-types', {
    body: { name: 'Visitor', formEnabled: true, published: true },
  });
  const strange = { missing: 404, lists: 'array', pairs: 'dropped', events: 'id' } as const;
  const foreign = await startForeignService(service.url.replace(/\/api$/, ''), strange);
  const { page } = await openSettings(
    browser,
    { url: `${foreign.url}/api`, token: service.token },
    'request-types',
  );
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const description = page.getByLabel('Description').first();
  await page.getByText('This service shows only those that are offered as forms').waitFor();
  await page.getByRole('link', { name: 'Visitor' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Guest');
  // Text typed during a save is not lost.
  const { promise: isTyped, resolve: typed } = Promise.withResolvers<undefined>();
  const sent = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/desk/api/request-types'),
  );
  await page.route('**/desk/api/request-types', async (route) => {
    if (route.request().method() === 'POST') await isTyped;
    await route.continue();
  });
  await save.click();
  await sent;
  expect(await save.isDisabled()).toBe(true);
  await description.fill('Whoever comes to see us.');
  typed(undefined);
  await until('the save to end', async () => !(await save.isDisabled()));
  expect(await description.inputValue()).toBe('Whoever comes to see us.');
  await page.getByText('Not saved yet').waitFor();
  const record = async (): Promise<object> => (await service.call('GET', `/request-types/${made.id}`)).body;
  await until('its new name', async () => JSON.stringify(await record()).includes('Guest'));

  await addQuestion(page, 'a number');
  await page.getByLabel('Words', { exact: true }).fill('How many?');
  await save.click();
  await page.getByText('“How many?”: This service’s questions can’t be changed here').waitFor();
  expect(await page.getByLabel('Words', { exact: true }).inputValue()).toBe('How many?');
  expect(await record()).toMatchObject({ name: 'Guest', customFields: [] });
});
