import type { Page } from 'playwright-core';

import type { OpenPage, Opened, useBrowser } from './browser.ts';
import { sessionCookie, signInLink } from '../harness/sign-in.ts';
import type { World } from '../harness/world.ts';

type Browser = ReturnType<typeof useBrowser>;
/**
 * The sessions of each world, by e-mail address. A person may sign in ten times a minute, and a file of tests opens
 * more pages than that.
 */
const sessions = new WeakMap<World, Map<string, Promise<string>>>();

interface Somebody extends OpenPage {
  /** Default the admin of the demo. */
  email?: string | undefined;
}

/**
 * An empty page of somebody who is signed in at a world's desk, to go to where the test begins: each address that is
 * opened takes half a second. The pages of one person share a session.
 */
export async function signedInPage(
  browser: Browser,
  world: World,
  { email, ...options }: Somebody = {},
): Promise<Opened> {
  const ofWorld = sessions.get(world) ?? new Map<string, Promise<string>>();
  sessions.set(world, ofWorld);
  const who = email ?? '';
  const session = ofWorld.get(who) ?? sessionCookie(world, email);
  ofWorld.set(who, session);
  const opened = await browser.open('about:blank', options);
  const [name = '', value = ''] = (await session).split('=', 2);
  await opened.page.context().addCookies([{ name, value, url: world.urls.root, httpOnly: true }]);
  return opened;
}

/**
 * A world's desk, where it opens for somebody who is signed in.
 * `ownSession`: this page has a session of its own, by a link in the browser, for a test that ends it.
 */
export async function openDeskAs(
  browser: Browser,
  world: World,
  { ownSession = false, ...options }: Somebody & { ownSession?: boolean } = {},
): Promise<Opened> {
  const { email, ...look } = options;
  const opened = ownSession
    ? await browser.open(await signInLink(world, email), look)
    : await signedInPage(browser, world, options);
  const { page } = opened;
  if (ownSession) await page.getByRole('button', { name: 'Sign in' }).click();
  else await page.goto(world.urls.root);
  await page.getByRole('button', { name: /^Account of/ }).waitFor();
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
