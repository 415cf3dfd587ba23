import type { Page } from 'playwright-core';

import { type OpenPage, useBrowser } from './browser.ts';
import { signInLink } from '../harness/sign-in.ts';
import type { World } from '../harness/world.ts';

type Browser = ReturnType<typeof useBrowser>;

/** A world's desk as somebody who has signed in with a link; default its admin. */
export async function openDeskAs(
  browser: Browser,
  world: World,
  { email, ...options }: OpenPage & { email?: string } = {},
): Promise<{ page: Page; problems: string[] }> {
  const { page, problems } = await browser.open(await signInLink(world, email), options);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Account of/ }).waitFor();
  return { page, problems };
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
