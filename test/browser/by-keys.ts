import type { Page } from 'playwright-core';

import { until } from '../harness/until.ts';

/** Steps that a person can do without a mouse: nothing here clicks, and nothing sets a field but by typing. */

/** What has the focus, by its name or its text. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `(({ activeElement: at }) => at?.getAttribute('aria-label') ?? at?.labels?.[0]?.textContent ?? at?.textContent ?? '')(document)`,
  );

/** Presses Tab until a control with this name has the focus, and waits until it takes keys. */
export async function tabTo(page: Page, name: string | RegExp, { atMost = 80 } = {}): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < atMost; presses++) {
    const at = (await focused(page)).trim();
    if (typeof name === 'string' ? at === name : name.test(at)) {
      // One that shows that it waits for something takes no key yet.
      await page.locator(':focus:not([data-pending])').waitFor();
      return;
    }
    seen.push(at.slice(0, 40));
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab leads to no “${name}”, only to ${seen.join(', ')}`);
}

/** The option of an open picker that Enter would choose. */
const first = (page: Page) => page.locator('[role=option][data-focused], [role=menuitem][data-focused]');

/** Opens a picker by its key, types, and chooses what is found first once that has the text. */
export async function choose(page: Page, key: string, typed: string, text = typed): Promise<void> {
  await dialogClosed(page);
  await page.keyboard.press(key);
  await typeAndChoose(page, typed, text);
}

/** A key that is pressed while a dialog closes is meant for that. */
export const dialogClosed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' });

/** Closes a picker in which several can be chosen: Escape clears its search, then closes it. */
export async function closePicker(page: Page): Promise<void> {
  const isCleared = `document.querySelector('[role=dialog] input')?.value === ''`;
  await page.keyboard.press('Escape');
  await until(
    'the search to be cleared, or the picker closed',
    async () => (await page.getByRole('dialog').count()) === 0 || (await page.evaluate<boolean>(isCleared)),
  );
  if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape');
  await dialogClosed(page);
}

/** Types in the search field that has the focus, and chooses what is found first once that has the text. */
export async function typeAndChoose(page: Page, typed: string, text = typed): Promise<void> {
  await page.locator('[role=dialog] input:focus').waitFor();
  await page.keyboard.type(typed);
  await first(page).filter({ hasText: text }).waitFor();
  await page.keyboard.press('Enter');
}

/** Runs a command, or opens a ticket by its reference, with the command bar. */
export async function command(page: Page, typed: string, text = typed): Promise<void> {
  await choose(page, 'Control+k', typed, text);
  // The command may open a dialog of its own.
  await page.getByRole('dialog', { name: 'Search and commands' }).waitFor({ state: 'detached' });
}

/** Presses two keys as a person does, one right after the other, however long the page takes for the first. */
export async function pressPair(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}

/** Moves through the list, down or up, until the row of this ticket is the current one; each key has to do its step. */
export async function moveTo(page: Page, code: string): Promise<void> {
  // Not among the rows of the list that was shown before.
  await page.locator(`[aria-busy]:not([data-former]) [data-code="${code}"]`).first().waitFor();
  const places = `((rows) => [
    rows.findIndex((row) => 'current' in row.dataset),
    rows.findIndex((row) => row.dataset.code === '${code}'),
    rows.find((row) => 'current' in row.dataset)?.dataset.code,
  ])([...document.querySelectorAll('[data-code]')])`;
  let pressedAt = '';
  // The list is live: where both are is looked up each time.
  await until(`${code} to be the current one`, async () => {
    const [at, to, current] = await page.evaluate<[number, number, string | null]>(places);
    if (at === to) return true;
    const now = `${current} ${at} ${to}`;
    if (now !== pressedAt) await page.keyboard.press(at < to ? 'j' : 'k');
    pressedAt = now;
    return false;
  });
}
