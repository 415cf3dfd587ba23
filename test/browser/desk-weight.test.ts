import { expect, test } from 'vitest';

import { startWorld } from '../harness/world.ts';
import { useBrowser } from './browser.ts';
import { signedInPage } from './open-page.ts';
import { loadSlowly } from './page-load.ts';

const browser = useBrowser();
const KB = 1_000;

test('a ticket’s page asks for at most twelve things and 200 KB until one can write, and for the scripts never again', async () => {
  const world = await startWorld();
  const { items } = await world.service.listTickets({ query: { openFilter: true, limit: 50 } });
  const [ticket] = items;
  const { page: first } = await signedInPage(browser, world);
  const session = await first.context().storageState();
  const context = await first.context().browser()?.newContext({ storageState: session });
  if (!context) throw new Error('no browser');
  const url = `${world.urls.root}/tickets/${ticket?.code ?? ''}`;
  const cold = await loadSlowly(context, url, 'textarea[aria-label^="Reply"]');
  await cold.page.close();
  const warm = await loadSlowly(context, url, 'textarea[aria-label^="Reply"]');
  console.info(JSON.stringify({ cold: { ...cold, page: 0 }, warm: { ...warm, page: 0 } }, undefined, 1));
  await context.close();
  expect(cold.requests.length, cold.requests.join('\n')).toBeLessThanOrEqual(12);
  expect(cold.bytes).toBeLessThanOrEqual(200 * KB);
  expect(warm.bytes).toBeLessThan(40 * KB);
});
