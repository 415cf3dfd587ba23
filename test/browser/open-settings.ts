import type { Locator, Page } from 'playwright-core';

import { openDesk } from '../desk/open-desk.ts';
import type { World } from '../harness/world.ts';
import type { Running } from '../service/harness.ts';
import type { useBrowser } from './browser.ts';
import { signedInPage } from './open-page.ts';

type Browser = ReturnType<typeof useBrowser>;
type Opened = { page: Page; problems: string[] };

const isOpen = (page: Page) => page.getByRole('navigation', { name: 'Settings' }).waitFor();

/**
 * A section of the settings, or one record of it, of a desk of this service, as whoever has this key sees it. Its
 * problems have a 401 of before.
 */
export async function openSettings(
  browser: Browser,
  { url, token }: Pick<Running, 'url' | 'token'>,
  section: string,
): Promise<Opened> {
  const desk = await openDesk(url);
  const { page, problems } = await browser.open(`${desk.url}/settings/${section}`);
  await page.getByLabel('API key').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Continue as the key’s own user' }).click();
  await isOpen(page);
  return { page, problems };
}

/** The same of a world's desk, as its admin, who has signed in with a link. */
export async function openSettingsAsAdmin(browser: Browser, world: World, section: string): Promise<Opened> {
  const { page, problems } = await signedInPage(browser, world);
  await page.goto(`${world.urls.root}/settings/${section}`);
  await isOpen(page);
  return { page, problems };
}

/** Chooses one of a list that a button with this label opens. */
export async function choose(scope: Page | Locator, label: string, option: string | RegExp): Promise<void> {
  const page = 'page' in scope ? scope.page() : scope;
  await scope.getByRole('button', { name: new RegExp(`^${label}: `) }).click();
  // Not those of the browser's own lists.
  await page.locator('[role=listbox]').getByRole('option', { name: option }).click();
}

/** Types into a field that is written when it is left. */
export async function type(field: Locator, text: string): Promise<void> {
  await field.fill(text);
  await field.press('Enter');
}
