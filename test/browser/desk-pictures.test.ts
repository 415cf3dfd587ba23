import { expect, test } from 'vitest';

import { openDesk } from '../desk/open-desk.ts';
import { PNG, serviceWithFiles } from '../desk/picture-service.ts';
import { until } from '../harness/until.ts';
import { startTestService } from '../service/harness.ts';
import { useBrowser } from './browser.ts';

const browser = useBrowser();

test('a picture in a message is shown, and the browser requests nothing from another server', async () => {
  const { url, token, call } = await startTestService();
  const files = await serviceWithFiles(url.replace(/\/api$/, ''), { '/api/lamp.png': ['image/png', PNG] });
  const { body: ticket } = await call('POST', '/tickets', {
    body: { title: 'A lamp', description: `![The lamp](${files.url}/api/lamp.png)` },
  });
  const desk = await openDesk(`${files.url}/api`);
  const { page, problems } = await browser.open(`${desk.url}/tickets/${ticket.code}`);
  const asked = new Set<string>();
  const marked: string[] = [];
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    asked.add(origin);
    if (pathname.endsWith('/read')) marked.push(pathname);
  });
  // When a ticket has been looked at for a moment, what a key may not do must not be tried: it has read nothing.
  const lookedAt = page.waitForResponse((response) => response.url().endsWith('/presence'));
  await page.getByLabel('API key').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Continue as the key’s own user' }).click();
  await page.getByRole('img', { name: 'The lamp' }).waitFor();
  const isDrawn = () =>
    page.evaluate<boolean>(`document.querySelector('img[alt="The lamp"]').naturalWidth === 1`);
  await until('the picture', isDrawn);
  await lookedAt;
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  expect([[...asked], marked, problems.filter((each) => !/401|404/.test(each))]).toEqual([
    [desk.url],
    [],
    [],
  ]);
});
