import { expect, test } from 'vitest';

import { startTestService } from '../service/harness.ts';
import { openDesk } from './open-desk.ts';
import { PNG, serviceWithFiles } from './picture-service.ts';

test('a picture in a message is read by the desk’s server, without the key, and only from URLs that the desk has shown', async () => {
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
