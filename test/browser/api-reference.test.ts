import { expect, test } from 'vitest';

import { routes } from '../../src/contract/index.ts';
import { serveDocs } from '../service/docs-server.ts';
import { useBrowser } from './browser.ts';

const browser = useBrowser();

test('the reference page renders in a browser that reaches only this server, and requests nothing from elsewhere', async () => {
  const url = await serveDocs();
  const { page, problems } = await browser.open('about:blank', { width: 1400, height: 900 });
  const elsewhere: string[] = [];
  await page.route('**', (route) => {
    const asked = route.request().url();
    if (asked.startsWith(url)) return route.continue();
    elsewhere.push(asked);
    return route.abort();
  });
  await page.goto(`${url}/docs`);
  await page.getByRole('heading', { name: 'deskbridge' }).first().waitFor();
  await page.getByText(routes.createTicket.summary).first().waitFor();
  const picture = process.env.DOCS_PICTURE;
  if (picture) await page.screenshot({ path: picture });
  expect(elsewhere.filter((asked) => !/^(data|blob):/.test(asked))).toEqual([]);
  expect(problems).toEqual([]);
});
