import type { Page } from 'playwright-core';

import { useBrowser } from './browser.ts';
import type { Running } from '../service/harness.ts';
import { openDesk } from '../desk/open-desk.ts';

type Browser = ReturnType<typeof useBrowser>;

/**
 * Opens a section of the settings, or one record in it, with this key. Its problems include a 401 from before
 * the sign-in.
 */
export async function openSettings(
  browser: Browser,
  { url, token }: Pick<Running, 'url' | 'token'>,
  section: string,
): Promise<{ page: Page; problems: string[] }> {
  return openSettingsAt(browser, { desk: (await openDesk(url)).url, token }, section);
}

/** The same at a running desk. */
export async function openSettingsAt(
  browser: Browser,
  { desk, token }: { desk: string; token: string },
  section: string,
): Promise<{ page: Page; problems: string[] }> {
  const { page, problems } = await browser.open(`${desk}/#/settings/${section}`);
  await page.getByLabel('API key').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Continue as the key’s own user' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('navigation', { name: 'Settings' }).waitFor();
  return { page, problems };
}

/** Whether the page is exactly as wide as the screen. */
export function isAsWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth');
}
