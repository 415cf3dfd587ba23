import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { testInBrowser, useBrowser } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import { startTestService } from '../service/harness.ts';
import { openDesk } from './open-desk.ts';

const browser = useBrowser();

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The service with a picture beside its operations, which is the one private address that the desk may call. */
async function serviceWithFiles(target: string, files: Record<string, [type: string, body: Buffer]>) {
  const asked: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    const file = files[path];
    if (file) {
      asked.push(path);
      expect(request.headers['x-service-api-token']).toBeUndefined();
      response.writeHead(200, { 'content-type': file[0] }).end(file[1]);
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { 'x-service-api-token': token = '' } = request.headers;
    const passed = await fetch(`${target}${path}`, {
      method: request.method ?? 'GET',
      headers: { 'x-service-api-token': String(token), 'content-type': 'application/json' },
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
    });
    response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test('a picture of a message is read by the desk’s server, without the key, and only where the desk has shown its address', async () => {
  const { url, token, call } = await startTestService();
  const { body: ticket } = await call('POST', '/tickets', { body: { title: 'A lamp' } });
  const files = await serviceWithFiles(url.replace(/\/api$/, ''), {
    '/api/lamp.png': ['image/png', PNG],
    '/api/page.png': ['text/html', Buffer.from('<script>')],
  });
  const content = (name: string) => `![The lamp](${files.url}/api/${name})`;
  for (const name of ['lamp.png', 'page.png'])
    await call('POST', '/ticket-messages', { body: { ticketId: ticket.id, content: content(name) } });
  await call('POST', '/ticket-messages', {
    body: { ticketId: ticket.id, content: '![](http://127.0.0.1:1/private.png)' },
  });
  const desk = await openDesk(`${files.url}/api`);
  await desk.ask('POST', '/desk/session', { key: token });
  const { body } = await desk.ask('GET', `/desk/api/ticket-messages?ticketId=${ticket.id}`);
  const html = (body['items'] as { html: string }[]).map((item) => item.html);
  const [lamp = '', page = '', elsewhere = ''] = html.map((each) =>
    (/<img src="([^"]+)"/.exec(each)?.[1] ?? '').replaceAll('&amp;', '&'),
  );
  expect(html[0]).toContain('alt="The lamp"');

  const shown = await desk.ask('GET', lamp);
  expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(shown.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  expect((await desk.ask('GET', page)).status).toBe(502);
  expect((await desk.ask('GET', elsewhere)).status).toBe(502);
  const other = lamp.replace('lamp.png', 'other.png');
  expect((await desk.ask('GET', other)).status).toBe(404);
  await desk.ask('DELETE', '/desk/session');
  expect((await desk.ask('GET', lamp)).status).toBe(401);
  expect(files.asked).toEqual(['/api/lamp.png', '/api/page.png']);
});

testInBrowser('a picture of a message is drawn in it, and the browser asks no other server', async () => {
  const { url, token, call } = await startTestService();
  const files = await serviceWithFiles(url.replace(/\/api$/, ''), { '/api/lamp.png': ['image/png', PNG] });
  const { body: ticket } = await call('POST', '/tickets', {
    body: { title: 'A lamp', description: `![The lamp](${files.url}/api/lamp.png)` },
  });
  const desk = await openDesk(`${files.url}/api`);
  const { page, problems } = await browser.open(`${desk.url}/#/tickets/${ticket.code}`);
  const asked = new Set<string>();
  page.on('request', (request) => void asked.add(new URL(request.url()).origin));
  await page.getByLabel('API key').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Go on as the key’s own user' }).click();
  await page.getByRole('img', { name: 'The lamp' }).waitFor();
  const isDrawn = () => page.evaluate<boolean>('document.querySelector(".request img").naturalWidth === 1');
  await until('the picture', isDrawn);
  expect([[...asked], problems.filter((each) => !each.includes('401'))]).toEqual([[desk.url], []]);
});
