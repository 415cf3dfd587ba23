import type { Page } from 'playwright-core';

/** Signs in with an API key, as one of its people, and waits for the list. */
export async function signInTo(
  page: Page,
  key: string,
  { firstName, lastName, email }: { firstName: string; lastName: string; email: string },
): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Your name').fill(firstName);
  await page.locator('#people-me option').first().waitFor({ state: 'attached' });
  await page.getByLabel('Your name').fill(`${firstName} ${lastName} (${email})`);
  await page.getByRole('button', { name: `${firstName} ${lastName}` }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Tickets' }).waitFor();
}
