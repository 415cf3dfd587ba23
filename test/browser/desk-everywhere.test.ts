import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { signInLink } from '../harness/sign-in.ts';
import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { isAsWide, signedInPage } from './open-page.ts';

const browser = useBrowser();
const { ada } = DEMO.people;

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

/** Resolves when what a page shows is read. */
async function shown(page: Page, name: string): Promise<void> {
  await until(
    `${name} to be loaded`,
    async () =>
      (await page.getByRole('heading', { level: 1 }).count()) > 0 &&
      (await page.locator('[role=status][aria-label^="Loading"]').count()) === 0,
  );
}

/** Resolves when the page or a dialog stands within the window. */
async function readable(page: Page, name: string): Promise<void> {
  // In a narrower window a popover moves a moment later: until then it stands beside the window, and axe sees none.
  await until(`${name}: the page or a dialog`, () => page.evaluate<boolean>(IS_READABLE), {
    seen: () => page.evaluate('document.body.innerText.slice(0, 300)'),
  });
}

/**
 * The names of the controls that cannot be pressed, whatever is scrolled: they stand outside of the window, or
 * something else lies over them.
 */
const OUT_OF_REACH = `(() => {
  const modal = [...document.querySelectorAll('[role=dialog]')].filter((each) => each.checkVisibility()).at(-1);
  const isUsed = (control) =>
    control.checkVisibility({ visibilityProperty: true }) &&
    !control.closest('[inert], [aria-hidden="true"], [hidden], .visually-hidden') &&
    !control.matches('[tabindex="-1"], :disabled') &&
    getComputedStyle(control).clipPath === 'none' &&
    control.getBoundingClientRect().width > 1;
  const isReached = (control) => {
    control.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const { left, right, top, bottom } = control.getBoundingClientRect();
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
    const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
    const hit = document.elementFromPoint(x, y);
    const label = control.labels?.[0] ?? control.closest('label');
    return (
      left >= -1 && right <= innerWidth + 1 && hit !== null &&
      (control.contains(hit) || hit.contains(control) || label?.contains(hit) === true)
    );
  };
  return [...(modal ?? document).querySelectorAll('a, button, input, textarea, [role=button], [role=radio], [role=tab]')]
    .filter((control) => isUsed(control) && !isReached(control))
    // What shows itself once keys are at it.
    .filter((control) => { control.focus(); return !isReached(control); })
    .map((control) => control.outerHTML.slice(0, 160));
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
      await readable(page, `${name}, ${look}`);
      const found = await axeFindings(page, { every: true });
      faults.push(...found.map((each) => `${name}, ${look}: ${each}`));
      if (!(await isAsWide(page))) faults.push(`${name}, ${look}: scrolls sideways`);
    }
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.emulateMedia({ colorScheme: 'light' });
  };
  await page.getByRole('link', { name: /^Continue with/ }).waitFor();
  await check('sign-in');
  await page.goto(await signInLink(world));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Navigation' }).waitFor();
  for (const path of ['/views/open', ticket, '/new', '/inbox', '/analytics', '/account', ...SETTINGS]) {
    await page.goto(`${urls.root}${path}`);
    await shown(page, path);
    await check(path);
  }
  for (const [name, path, open] of DIALOGS) {
    await page.goto(`${urls.root}${path === 'ticket' ? ticket : path}`);
    await shown(page, name);
    await open(page);
    await page.getByRole('dialog').waitFor();
    await check(name);
  }
  expect(faults).toEqual([]);
  expect(problems).toEqual([]);
});

/** A window of 1280 × 844 pixels that a person has enlarged to 200 %: half as many are left for the page. */
const ENLARGED = { width: 640, height: 422 };

test('at 200 % nothing scrolls sideways, no control is out of reach, and axe finds no fault, for the team and for who asks', async () => {
  const world = await startWorld();
  const { service, urls } = world;
  const { items } = await service.listTickets({ query: { openFilter: true, limit: 50 } });
  const { items: people } = await service.listUsers({ query: { email: ada.email } });
  const asked = items.find(({ requesterId }) => requesterId === people[0]?.id) ?? items[0];
  const ticket = `/tickets/${asked?.code ?? ''}`;
  const faults: string[] = [];
  const check = async (page: Page, name: string) => {
    await readable(page, name);
    const found = await axeFindings(page, { every: true });
    faults.push(...found.map((each) => `${name}: ${each}`));
    if (!(await isAsWide(page))) faults.push(`${name}: scrolls sideways`);
    const unreached = await page.evaluate<string[]>(OUT_OF_REACH);
    faults.push(...unreached.map((each) => `${name}: out of reach: ${each}`));
  };
  const problems: string[] = [];
  for (const { email, paths, dialogs } of [
    {
      email: undefined,
      paths: ['/views/open', ticket, '/new', '/inbox', '/analytics', '/account', '/nowhere', ...SETTINGS],
      dialogs: DIALOGS,
    },
    {
      email: ada.email,
      paths: ['/requests', ticket.replace('tickets', 'requests'), '/requests/new', '/requests/IT-9999'],
      dialogs: [],
    },
  ]) {
    const { page, problems: own } = await signedInPage(browser, world, { email, ...ENLARGED });
    for (const path of paths) {
      await page.goto(`${urls.root}${path}`);
      await shown(page, path);
      await check(page, path);
    }
    for (const [name, path, open] of dialogs) {
      await page.goto(`${urls.root}${path === 'ticket' ? ticket : path}`);
      await shown(page, name);
      await open(page);
      await page.getByRole('dialog').waitFor();
      await check(page, name);
    }
    problems.push(...own);
  }
  expect(faults).toEqual([]);
  // Two addresses that do not exist.
  expect(problems.filter((each) => !each.includes('404'))).toEqual([]);
});
