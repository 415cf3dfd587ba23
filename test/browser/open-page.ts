import type { Page } from 'playwright-core';

import type { OpenPage, Opened, useBrowser } from './browser.ts';
import { signInLink } from '../harness/sign-in.ts';
import type { World } from '../harness/world.ts';

type Browser = ReturnType<typeof useBrowser>;
type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>;

/**
 * The sessions of each world, by e-mail address. A person may sign in ten times a minute, and a file of tests opens
 * more pages than that.
 */
const sessions = new WeakMap<World, Map<string, Cookies>>();

/**
 * A world's desk as somebody who is signed in; default its admin. The pages of one person share a session;
 * `ownSession`: this page has one of its own, for a test that ends it.
 */
export async function openDeskAs(
  browser: Browser,
  world: World,
  {
    email,
    ownSession = false,
    ...options
  }: OpenPage & { email?: string | undefined; ownSession?: boolean } = {},
): Promise<Opened> {
  const ofWorld = sessions.get(world) ?? new Map<string, Cookies>();
  sessions.set(world, ofWorld);
  const who = email ?? '';
  const opened = await browser.open('about:blank', options);
  const { page } = opened;
  const kept = ownSession ? undefined : ofWorld.get(who);
  if (kept) {
    await page.context().addCookies(kept);
    await page.goto(world.urls.root);
  } else {
    await page.goto(await signInLink(world, email));
    await page.getByRole('button', { name: 'Sign in' }).click();
  }
  await page.getByRole('button', { name: /^Account of/ }).waitFor();
  if (!ownSession) ofWorld.set(who, await page.context().cookies());
  return opened;
}

/** From the sign-in page, as somebody of the sandbox's workspace. */
export async function continueWithSandbox(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Continue with Slack' }).click();
  await page.getByLabel('Who you are').selectOption({ label: name });
  await page.getByRole('button', { name: 'Allow' }).click();
}

/** Whether the page is as wide as the screen, and no wider. */
export function isAsWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth');
}
