import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { signInLink } from '../harness/sign-in.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { isAsWide } from './open-page.ts';

const browser = useBrowser();

const SETTINGS = [
  'queues',
  'channels',
  'statuses',
  'request-types',
  'tags',
  'business-hours',
  'canned-replies',
  'views',
  'people',
  'api-keys',
  'webhooks',
  'workflows',
  'agents',
  'knowledge',
  'personalities',
  'audit-log',
].map((section) => `/settings/${section}`);

/** Whether the page can be read, or a dialog that covers it and stands within the window. */
const IS_READABLE = `(() => {
  const main = document.querySelector('main, [role=main]');
  const isHidden = main?.closest('[aria-hidden="true"], [inert]') != null;
  const isSeen = (dialog) => dialog.checkVisibility() && dialog.getBoundingClientRect().left < window.innerWidth;
  return !isHidden || [...document.querySelectorAll('[role=dialog]')].some(isSeen);
})()`;

/** What a person opens on a page, by key. */
const DIALOGS: readonly (readonly [name: string, path: string, open: (page: Page) => Promise<unknown>])[] = [
  ['command bar', '/views/open', (page) => page.keyboard.press('Control+k')],
  ['shortcuts', '/views/open', (page) => page.keyboard.press('?')],
  ['filters', '/views/open', (page) => page.getByRole('button', { name: 'Filter', exact: true }).click()],
  ['display', '/views/open', (page) => page.getByRole('button', { name: 'Display' }).click()],
  ['merge', 'ticket', (page) => page.keyboard.press('m')],
  ['status', 'ticket', (page) => page.keyboard.press('s')],
  ['snooze', 'ticket', (page) => page.keyboard.press('h')],
];

test('no page and no dialog has a fault that axe finds, light, dark and on a phone, where nothing scrolls sideways', async () => {
  const world = await startWorld();
  const { service, urls } = world;
  const { items } = await service.listTickets({ query: { openFilter: true, limit: 50 } });
  const ticket = `/tickets/${items[0]?.code ?? ''}`;
  const { page, problems } = await browser.open(`${urls.root}/sign-in`);
  const faults: string[] = [];
  const check = async (name: string) => {
    for (const [look, width, colorScheme] of [
      ['light', 1280, 'light'],
      ['dark', 1280, 'dark'],
      ['phone', 390, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      // In a narrower window a popover moves a moment later: until then it stands beside the window, and axe sees none.
      await until(`${name}, ${look}: the page or a dialog`, () => page.evaluate<boolean>(IS_READABLE), {
        seen: () => page.evaluate('document.body.innerText.slice(0, 300)'),
      });
      const found = await axeFindings(page, { every: true });
      faults.push(...found.map((each) => `${name}, ${look}: ${each}`));
      if (!(await isAsWide(page))) faults.push(`${name}, ${look}: scrolls sideways`);
    }
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.emulateMedia({ colorScheme: 'light' });
  };
  const shown = async (name: string) => {
    await until(
      `${name} to be loaded`,
      async () =>
        (await page.getByRole('heading', { level: 1 }).count()) > 0 &&
        (await page.locator('[role=status][aria-label^="Loading"]').count()) === 0,
    );
  };
  await page.getByRole('link', { name: /^Continue with/ }).waitFor();
  await check('sign-in');
  await page.goto(await signInLink(world));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Navigation' }).waitFor();
  for (const path of ['/views/open', ticket, '/new', '/inbox', '/analytics', '/account', ...SETTINGS]) {
    await page.goto(`${urls.root}${path}`);
    await shown(path);
    await check(path);
  }
  for (const [name, path, open] of DIALOGS) {
    await page.goto(`${urls.root}${path === 'ticket' ? ticket : path}`);
    await shown(name);
    await open(page);
    await page.getByRole('dialog').waitFor();
    await check(name);
  }
  expect(faults).toEqual([]);
  expect(problems).toEqual([]);
});
