import { expect, test } from 'vitest';

import { boltApp, openSandbox } from '../sandbox/open-sandbox.ts';
import { useBrowser } from './browser.ts';
import { helpDesk, PAGE_SEED } from './page-app.ts';
import { loadSlowly } from './page-load.ts';

const browser = useBrowser();
const KB = 1_000;
const COMPOSER = '#composer-channel';

test('the sandbox’s page asks for at most 21 things and 130 KB until one can write, and for the scripts never again', async () => {
  const sandbox = await openSandbox({ seed: PAGE_SEED });
  await boltApp(sandbox, (app) => helpDesk(app));
  for (const text of ['first', '@deskbridge second', 'third'])
    await sandbox.control.message({ channel: 'it-help', user: 'ben', text });
  const { page: other } = await browser.open('about:blank');
  const context = await other.context().browser()?.newContext();
  if (!context) throw new Error('no browser');
  const cold = await loadSlowly(context, sandbox.url, COMPOSER);
  await cold.page.close();
  const warm = await loadSlowly(context, sandbox.url, COMPOSER);
  await context.close();
  expect(cold.requests.length, cold.requests.join('\n')).toBeLessThanOrEqual(21);
  expect(cold.bytes).toBeLessThanOrEqual(130 * KB);
  expect(warm.bytes).toBeLessThan(20 * KB);
});
