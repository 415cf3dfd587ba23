import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { startTestService } from '../service/harness.ts';
import { signIn } from '../service/signed-in.ts';
import { openTables } from '../service/world.ts';
import { openDesk } from './open-desk.ts';

interface FirstData {
  signIn: boolean;
  session: Record<string, unknown>;
  at: string;
  answers: {
    name: string;
    params: object;
    query: Record<string, string>;
    body?: { filters: { key: string }[] };
    answer: Record<string, unknown>;
  }[];
}

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-dest': 'document' };

const firstData = (html: string) => {
  const json = /<script type="application\/json" id="first-data">([^<]*)<\/script><\/body>/.exec(html)?.[1];
  return json === undefined ? undefined : (JSON.parse(json) as FirstData);
};

/** The page of a signed-in agent, with the ticket of the given title. */
async function deskOf(title = 'A lamp') {
  const running = await startTestService();
  const desk = await openDesk(running.url, { signIn: true });
  const { db } = openTables(running);
  const agent = await signIn(db, running.workspaceId, { role: 'agent' });
  const { body: ticket } = await running.call('POST', '/tickets', { body: { title } });
  await running.call('POST', '/ticket-messages', {
    body: { ticketId: ticket.id, content: '**Which** one?' },
  });
  const cookie = `deskbridge_session=${agent.token}`;
  const open = async (address: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${desk.url}${address}`, { headers: { ...BROWSER, cookie, ...headers } });
    const html = await response.text();
    return { status: response.status, headers: response.headers, html, data: firstData(html) };
  };
  return { ...running, db, desk, agent, ticket, open };
}

beforeAll(() => {
  const build = path.resolve(import.meta.dirname, '../../.config/build-ui.js');
  execFileSync(process.execPath, [build, '--if-changed'], { stdio: 'inherit' });
});

describe('the desk’s page', () => {
  test('is served at each of its addresses, never cached, with a policy that allows its own scripts alone', async () => {
    const desk = await openDesk('http://127.0.0.1:1/api');
    const nonces = new Set<string>();
    for (const address of [
      '/',
      '/inbox',
      '/new',
      '/account',
      '/search?q=x',
      '/sign-in',
      '/tickets/IT-137',
      '/views/open',
      '/settings',
      '/settings/queues/que_1',
      '/analytics',
      '/analytics/builder',
      '/requests',
      '/requests/IT-137',
    ]) {
      const response = await fetch(`${desk.url}${address}`, { headers: BROWSER });
      const html = await response.text();
      expect([address, response.status, response.headers.get('cache-control')]).toEqual([
        address,
        200,
        'no-store',
      ]);
      const policy = response.headers.get('content-security-policy') ?? '';
      const [, nonce = ''] = /style-src 'self' 'nonce-([\w-]{22})'/.exec(policy) ?? [];
      expect(policy).toContain("script-src 'self';");
      expect(html).toContain(`<meta property="csp-nonce" nonce="${nonce}">`);
      const styles = `<style(?! nonce="${nonce}">)| style=`;
      expect([...html.matchAll(new RegExp(`<script(?![^>]* src=)|${styles}`, 'g'))]).toEqual([]);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(14);
  });

  test('leads a requester to the pages of requesters, and everybody else away from them', async () => {
    const { desk, agent, ticket, db, workspaceId } = await deskOf();
    const requester = await signIn(db, workspaceId, { role: 'requester' });
    const ledTo = async ({ token }: { token: string }, address: string) => {
      const answer = await fetch(`${desk.url}${address}`, {
        headers: { ...BROWSER, cookie: `deskbridge_session=${token}` },
        redirect: 'manual',
      });
      return answer.status === 302 ? answer.headers.get('location') : answer.status;
    };
    const { code } = ticket;
    for (const [address, ofRequester, ofAgent] of [
      ['/', '/requests', 200],
      ['/views/mine?search=x', '/requests', 200],
      ['/settings/people', '/requests', 200],
      ['/new', '/requests/new', 200],
      ['/account', '/requests/account', 200],
      [`/tickets/${code}`, `/requests/${code}`, 200],
      ['/tickets/%2f%2fevil.example', '/requests/%2f%2fevil.example', 200],
      ['/sign-in', 200, 200],
      ['/requests', 200, '/'],
      ['/requests/new', 200, '/new'],
      ['/requests/account', 200, '/account'],
      [`/requests/${code}`, 200, `/tickets/${code}`],
      ['/requests//evil.example', 200, '/'],
    ] as const)
      expect([address, await ledTo(requester, address), await ledTo(agent, address)]).toEqual([
        address,
        ofRequester,
        ofAgent,
      ]);
  });

  test('loads files that browsers keep for ever, compressed as they accept it', async () => {
    const desk = await openDesk('http://127.0.0.1:1/api');
    const html = await (await fetch(desk.url, { headers: BROWSER })).text();
    const files = [...html.matchAll(/(?:src|href)="(\/desk\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files)
      for (const [accepted, encoding] of [
        ['gzip, deflate, br', 'br'],
        ['gzip', 'gzip'],
        ['identity', null],
      ] as const) {
        const { status, headers } = await fetch(`${desk.url}${file}`, {
          headers: { 'accept-encoding': accepted },
        });
        expect([file, status, headers.get('content-encoding')]).toEqual([file, 200, encoding]);
        expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(headers.get('vary')).toMatch(/accept-encoding/i);
      }
    expect((await fetch(`${desk.url}/desk/assets/old-12345678.js`)).status).toBe(404);
  });

  test('is itself compressed as the browser accepts it', async () => {
    const { open, desk } = await deskOf();
    const raw = async (accepted: string) => {
      // Without `fetch`, which decompresses.
      const { get } = await import('node:http');
      const [response] = (await once(
        get(desk.url, { headers: { ...BROWSER, 'accept-encoding': accepted } }),
        'response',
      )) as [import('node:http').IncomingMessage];
      return {
        encoding: response.headers['content-encoding'],
        body: Buffer.concat(await response.toArray()),
      };
    };
    const [brotli, gzip, plain] = [await raw('gzip, br'), await raw('gzip'), await raw('identity')];
    expect([brotli.encoding, gzip.encoding, plain.encoding]).toEqual(['br', 'gzip', undefined]);
    for (const text of [brotliDecompressSync(brotli.body), gunzipSync(gzip.body), plain.body])
      expect(String(text)).toMatch(/^<!doctype html>[^]*<\/html>\s*$/);
    expect((await open('/')).html).toMatch(/<\/html>\s*$/);
  });

  test('is another one at an address that does not exist, for browsers; programs get a problem', async () => {
    const desk = await openDesk('http://127.0.0.1:1/api');
    for (const address of ['/ticket/IT-1', '/nowhere', '/desk/nowhere']) {
      const page = await fetch(`${desk.url}${address}`, { headers: BROWSER });
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(await page.text()).toContain('We couldn’t find that page');
      for (const request of [{ headers: { accept: '*/*' } }, { method: 'POST', headers: BROWSER }]) {
        const problem = await fetch(`${desk.url}${address}`, request);
        expect([problem.status, await problem.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
      }
    }
  });
});

type Named = { id: string };

describe('the first data', () => {
  const FRAME = [
    'countNotifications',
    'countTickets',
    'listQueues',
    'listStatuses',
    'listUsers',
    'listViews',
    'listWorkspaces',
  ];
  const COUNTED = ['open', 'mine', 'unassigned', 'snoozed', 'approvals'];

  test('of a list are the session, what stands around it, and its tickets, each as /desk/api answers it', async () => {
    const { open, desk, agent, ticket } = await deskOf();
    for (const address of ['/', '/views/open', '/views/unassigned']) {
      const { data } = await open(address);
      expect(data).toMatchObject({ signIn: true, session: { userId: agent.personId, role: 'agent' } });
      const names = data?.answers.map(({ name }) => name);
      expect(names?.toSorted()).toEqual([...FRAME, 'listTickets'].toSorted());
      const list = data?.answers.find(({ name }) => name === 'listTickets');
      // What was written last is plain text in one line.
      expect(list?.answer['items']).toMatchObject([
        { id: ticket.id, title: 'A lamp', lastReply: { excerpt: 'Which one?' } },
      ]);
      const queues = data?.answers.find(({ name }) => name === 'listQueues')?.answer['items'] as Named[];
      const counts = data?.answers.find(({ name }) => name === 'countTickets');
      // Not of all tickets: the page would not find what it asks for.
      expect(counts?.body?.filters.map(({ key }) => key)).toEqual([
        ...COUNTED,
        ...queues.map(({ id }) => id),
      ]);
      const query = new URLSearchParams(list?.query).toString();
      const cookie = `deskbridge_session=${agent.token}`;
      const { body } = await desk.ask('GET', `/desk/api/tickets?${query}`, undefined, { cookie });
      expect(list?.answer).toEqual(body);
    }
    const mine = (await open('/views/mine')).data?.answers.find(({ name }) => name === 'listTickets');
    expect([mine?.query['assigneeId'], mine?.answer['items']]).toEqual([agent.personId, []]);
    expect((await open('/settings/queues')).data?.answers).toEqual([]);
  });

  test('count no views while the days of one end in the time zone of the reader, which only the page knows', async () => {
    const { open, call } = await deskOf();
    const counts = async () =>
      (await open('/')).data?.answers.filter(({ name }) => name === 'countTickets').length;
    const view = { name: 'Soon', isShared: true, filters: { due: 'today' } };
    expect(await counts()).toBe(1);
    expect((await call('POST', '/views', { body: view })).status).toBe(200);
    expect(await counts()).toBe(0);
  });

  test('of a ticket are also the ticket by its reference, its latest messages as HTML, its changes, a draft, scheduled replies, drafted ones and runs of workflows', async () => {
    const { open, ticket } = await deskOf();
    const { data } = await open(`/tickets/${ticket.code}`);
    expect(data?.answers.map(({ name }) => name).toSorted()).toEqual(
      [
        ...FRAME,
        'listTickets',
        'readTicket',
        'listTicketMessages',
        'readTicketActivity',
        'readDraft',
        'listScheduledReplies',
        'listReplyDrafts',
        'listWorkflowRuns',
      ].toSorted(),
    );
    const answer = (wanted: string) => data?.answers.find(({ name }) => name === wanted);
    expect(answer('readTicket')).toMatchObject({ params: { id: ticket.code }, answer: { id: ticket.id } });
    expect(answer('listTicketMessages')).toMatchObject({
      query: { ticketId: ticket.code },
      answer: { items: [{ html: '<p><strong>Which</strong> one?</p>' }] },
    });
    const none = (await open('/tickets/IT-999999')).data;
    expect(none?.answers.map(({ name }) => name)).not.toContain('readTicket');
    expect((await open('/tickets/%E0%A4')).status).toBeLessThan(500);
  });

  test('cannot end the element that holds them', async () => {
    const title = '</script><script>alert(1)</script><!-- $& $1';
    const { open } = await deskOf(title);
    const { data, html } = await open('/');
    expect(data?.answers.find(({ name }) => name === 'listTickets')?.answer['items']).toMatchObject([
      { title },
    ]);
    expect(html).not.toContain('<script>alert');
  });

  test('are only for a page that a signed-in user opens', async () => {
    const { open, call, agent } = await deskOf();
    expect((await open('/', { cookie: '' })).data).toBeUndefined();
    expect((await open('/', { cookie: 'deskbridge_session=dbs_000000000000_x' })).data).toBeUndefined();
    expect((await open('/', { 'sec-fetch-dest': 'script' })).data).toBeUndefined();
    expect((await open('/nowhere')).data).toBeUndefined();
    await call('DELETE', '/sessions/current', { token: agent.token });
    const ended = await open('/');
    expect([ended.status, ended.data]).toEqual([200, undefined]);
  });

  test('with an API key are read with it', async () => {
    const { url, token, call } = await startTestService();
    const { body: mira } = await call('POST', '/users', { body: { firstName: 'Mira' } });
    const desk = await openDesk(url);
    await desk.ask('POST', '/desk/session', { key: token });
    await desk.ask('PUT', '/desk/session', { userId: mira.id });
    const { text } = await desk.ask('GET', '/', undefined, BROWSER);
    expect(firstData(text)).toMatchObject({ signIn: false, session: { userId: mira.id } });
    expect(text).not.toContain(token);
    expect(firstData(text)?.answers.map(({ name }) => name)).toContain('listTickets');
  });

  test('are left out when the service does not answer in time, or at all', async () => {
    const { url, token } = await startTestService();
    const { headers } = await (await openDesk(url)).ask('POST', '/desk/session', { key: token });
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    for (const service of [`http://127.0.0.1:${port}/api`, 'http://127.0.0.1:1/api']) {
      const desk = await openDesk(service, { firstDataMs: 100 });
      const { status, text } = await desk.ask('GET', '/', undefined, { ...BROWSER, cookie });
      expect([status, firstData(text)?.answers ?? []]).toEqual([200, []]);
      expect(text).toContain('id="app"');
    }
  });
});
