import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

import type { Browser, Page } from 'playwright-core';

import { type Client, createClient } from '../../src/client/index.ts';
import { Chat, type SeenMessage } from '../harness/chat.ts';
import { launchBrowser } from '../browser/launch-browser.ts';
import { continueWithSandbox } from '../browser/open-page.ts';
import { until } from '../harness/until.ts';

export const KEY = 'dbk_key_of_the_pictures';
/** The URLs of the desk, the service and the sandbox. */
export const [ROOT, API, SANDBOX] = [
  'http://127.0.0.1:18080',
  'http://127.0.0.1:18080/api',
  'http://127.0.0.1:13000',
];

const PICTURES = path.resolve(import.meta.dirname, '../../docs/pictures');
/** Width and height of a window, and of a phone. */
const WINDOW = { width: 1100, height: 760 };
export const PHONE = { width: 390, height: 780 };
/** One of several pictures in a row. */
export const SMALL = { width: 390, height: 620 };

/**
 * Takes a screenshot of a sandbox user's page as `docs/pictures/<name>.png`, even if something was not shown.
 */
export async function picture(
  on: Browser,
  user: string,
  name: string,
  show: (page: Page) => Promise<void>,
  viewport = WINDOW,
): Promise<void> {
  const context = await on.newContext({ viewport });
  const page = await context.newPage();
  await page.addInitScript((me) => localStorage.setItem('sandbox-me', me), user);
  try {
    await show(page);
  } finally {
    await imagesDrawn(page);
    await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
    await context.close();
  }
}

const imagesDrawn = (page: Page): Promise<unknown> =>
  until('the images', () => page.evaluate<boolean>('[...document.images].every((image) => image.complete)'));

/** Opens the desk as somebody of the sandbox's workspace, and waits for the list. */
export async function signIn(page: Page, name: string): Promise<void> {
  await page.goto(ROOT);
  await continueWithSandbox(page, name);
  await page.locator('[data-code]').first().waitFor();
}

/** Waits until the desk shows all that it reads, with the counts of the views where it shows views. */
export async function allRead(page: Page): Promise<void> {
  await until('all to be read', async () => (await page.getByLabel(/^Loading/).count()) === 0);
  const navigation = page.getByRole('navigation', { name: 'Navigation' });
  if (await navigation.isVisible()) await navigation.getByRole('link', { name: /^Open\s*\d/ }).waitFor();
}

/** Takes a screenshot of the desk as `docs/pictures/<name>.png`, once all is read. */
export async function deskPicture(page: Page, name: string): Promise<void> {
  await allRead(page);
  await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
}

export interface Taken {
  caption: string;
  /** A PNG file of the size `SMALL`. */
  picture: Buffer;
}

/** Opens a ticket as Ada does, by a mention in a channel; its card is there. */
export async function openTicket(
  chat: Chat,
  service: Client,
  channel: string,
  title: string,
): Promise<{ id: string }> {
  const { bot } = await chat.state();
  const { ts } = await chat.say(channel, 'ada', `<@${bot}> ${title}`);
  const { id } = await until(
    'the ticket',
    async () => (await service.listTickets({ query: { chatMessageTs: ts } })).items[0],
  );
  await until('its card', async () => cardIn(chat, channel, id));
  return { id };
}

/** The last card of a ticket in a channel. */
export async function cardIn(chat: Chat, channel: string, ticket: string): Promise<SeenMessage | undefined> {
  return (await chat.messages(channel)).findLast(
    ({ metadata }) => metadata?.event_payload['card'] === ticket,
  );
}

/** A user's view on a phone: the thread of a ticket, or the channel whose first message is its card. */
export async function lookAtThread(
  on: Browser,
  user: string,
  channel: string,
  title: string,
  caption: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<Taken> {
  const context = await on.newContext({ viewport: SMALL, colorScheme });
  const page = await context.newPage();
  await page.addInitScript((me) => localStorage.setItem('sandbox-me', me), user);
  await page.goto(`${SANDBOX}#${channel}`);
  await page.getByText(title).last().waitFor();
  await page
    .getByRole('button', { name: /^\d+ repl/ })
    .last()
    .click();
  const thread = page.getByRole('complementary', { name: 'Thread' });
  await thread.getByText(title).last().waitFor();
  // Moves the pointer off all messages.
  await page.mouse.move(1, 1);
  await imagesDrawn(page);
  const picture = await page.screenshot();
  await context.close();
  return { caption, picture };
}

interface Looked {
  /** The id of who looks. */
  me: string;
  /** A channel, or one and the first message of a thread. */
  place: string;
  /** Words of the last message there. */
  last: string;
  caption: string;
  colorScheme?: 'light' | 'dark';
}

/** A user's view of a place on a phone, once its last message is there. */
export async function lookAt(
  on: Browser,
  { me, place, last, caption, colorScheme = 'light' }: Looked,
): Promise<Taken> {
  const context = await on.newContext({ viewport: { ...SMALL, height: 960 }, colorScheme });
  const page = await context.newPage();
  await page.addInitScript((user) => localStorage.setItem('sandbox-me', user), me);
  await page.goto(`${SANDBOX}/#${place}`);
  await page.getByText(last).last().waitFor();
  await page.getByText('cannot be reached').waitFor({ state: 'hidden' });
  await page.mouse.move(1, 1);
  await imagesDrawn(page);
  const picture = await page.screenshot();
  await context.close();
  return { caption, picture };
}

/** Puts pictures in a row, with their captions, as `docs/pictures/<name>.png`. */
export async function putTogether(on: Browser, name: string, pictures: readonly Taken[]): Promise<void> {
  const page = await on.newPage({
    viewport: { width: pictures.length * (SMALL.width + 24) + 24, height: 700 },
  });
  const figures = pictures.map(
    ({ caption, picture }) => `
      <figure style="margin: 0"><img style="display: block; border: 1px solid #ccc; border-radius: 12px"
        src="data:image/png;base64,${picture.toString('base64')}">
        <figcaption style="padding-top: 8px">${caption}</figcaption></figure>`,
  );
  await page.setContent(`
    <body style="margin: 24px; display: flex; gap: 24px; background: #fff; font: 15px sans-serif; color: #333">
      ${figures.join('')}`);
  await page.screenshot({ path: path.join(PICTURES, `${name}.png`), fullPage: true });
  await page.close();
}

/** Runs everything as `npm start` does, on its own database, with a browser; ends with the work. */
export async function withPrograms(
  work: (programs: { chat: Chat; service: Client; browser: Browser }) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'deskbridge-pictures-'));
  const launcher = path.resolve(import.meta.dirname, '../../src/launch.js');
  const program = spawn(process.execPath, [launcher, 'start'], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: new URL(ROOT).port,
      SANDBOX_PORT: new URL(SANDBOX).port,
      SERVICE_API_TOKEN: KEY,
      LOG_PRETTY: 'false',
      CHAT_SETTINGS_SECONDS: '0',
      CHAT_NOTICE_SECONDS: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(program, 'exit');
  const browser = await launchBrowser();
  try {
    for await (const line of createInterface({ input: program.stdout }))
      if (line.includes('"msg":"ready"')) break;
    program.stdout.resume();
    const service = createClient({ baseUrl: API, token: KEY, now: () => new Date(), random: Math.random });
    await work({ chat: new Chat(SANDBOX), service, browser });
    await service.close();
  } finally {
    await browser.close();
    program.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  }
}
