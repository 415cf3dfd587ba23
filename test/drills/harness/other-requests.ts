import { randomUUID } from 'node:crypto';

import { LIMITS, reportTable } from '../../../src/contract/index.ts';
import { sign, signSlack } from '../../../src/platform/signatures.ts';
import { DEMO } from '../../../src/start/demo.ts';
import { sessionCookie } from '../../harness/sign-in.ts';
import type { World } from '../../harness/world.ts';
import { ASSIST_LIMITS } from '../../../src/service/assist/limits.ts';
import { allow } from '../../service/assist/mcp-call.ts';
import type { Running } from '../../service/harness.ts';
import { FILLS, SHAPES } from './largest.ts';
import type { Large, LargeWorld } from './largest-requests.ts';

const MEGABYTE = 1024 * 1024;
/** Node refuses headers of 16 kB and more; the path is one of them. */
const ADDRESS_CHARACTERS = 8_000;
/** The bodies of Slack and of the service's webhooks. */
const EVENT_BYTES = 2 * MEGABYTE - 1_024;
/** Of objects, numbers and the like these are about as many as an event may have. */
const VALUES_BYTES = 90_000;
/** A file of this size is sent in a part of a second, and is larger than what may be in memory. */
const FILE_BYTES = 80 * MEGABYTE;

/** Bodies of OAuth. */
const OAUTH_BYTES = 4_096;
/** Leaves room in a request of the AI tools for what is around a text. */
const TOOL_BYTES = ASSIST_LIMITS.requestBytes - 1_024;

interface Around {
  world: World;
  large: LargeWorld;
  cookie: string;
  running: Running;
}

/**
 * Returns the largest requests of a route that is not of the contract: none if it takes nothing, and undefined if there
 * are none yet, which fails the drill. Whoever adds a route adds them.
 */
export async function otherRequests(
  route: string,
  around: Around,
): Promise<readonly (Large | (() => Large))[] | undefined> {
  const { world, large, cookie, running } = around;
  const own = { cookie, 'sec-fetch-site': 'same-origin' };
  const key = { 'x-service-api-token': world.apiKey };
  const words = encodeURIComponent('a word '.repeat(ADDRESS_CHARACTERS / 10)).slice(0, ADDRESS_CHARACTERS);
  const [method = '', url = ''] = route.split(' ');
  // Fastify adds HEAD to each GET, and other methods get 405 before a body is read (test/unread-bodies.test.ts).
  if (method === 'HEAD' || method === 'PATCH') return [];
  if (url.startsWith('/api/') && !OTHER.has(route)) return [];
  switch (route) {
    case 'GET /healthz':
    case 'GET /readyz':
    case 'GET /metrics':
    case 'GET /docs':
    case 'GET /docs/':
    case 'GET /docs/js/scalar.js':
    case 'GET /auth/providers':
    case 'GET /api/openapi.json':
      return [{ what: 'no body', path: url }];
    case 'GET /auth/start/:provider':
    case 'GET /auth/callback/:provider':
    case 'GET /auth/link':
      return [
        { what: 'a long query', path: `${filled(url, large)}?code=${words}&state=${words.slice(0, 4_000)}` },
      ];
    case 'POST /auth/link':
      return [
        {
          what: 'a long form',
          path: url,
          headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
          body: `code=${'a&b='.repeat(1_000)}`,
        },
      ];
    case 'GET /desk/assets/*':
    case 'GET /page/assets/*':
      return [{ what: 'a long name', path: url.replace('*', 'a'.repeat(ADDRESS_CHARACTERS)) }];
    case 'GET /':
    case 'GET /inbox':
    case 'GET /new':
    case 'GET /account':
    case 'GET /search':
    case 'GET /sign-in':
    case 'GET /settings':
    case 'GET /settings/*':
    case 'GET /analytics':
    case 'GET /analytics/*':
    case 'GET /views/*':
      return [{ what: 'with its first data', path: `${url.replace('*', 'x')}?q=${words}`, headers: own }];
    case 'GET /tickets/*':
      return [{ what: 'a large ticket', path: `/tickets/${large.ticket}`, headers: own }];
    case 'GET /requests':
      return [{ what: 'with its first data', path: `${url}?q=${words}`, headers: await requester(around) }];
    case 'GET /requests/*':
      return [
        { what: 'a large ticket', path: `/requests/${large.ticket}`, headers: await requester(around) },
      ];
    case 'GET /desk/session':
    case 'GET /desk/channels':
      return [{ what: 'no body', path: url, headers: own }];
    case 'GET /desk/members':
      return [{ what: 'a long search', path: `${url}?search=${words}`, headers: own }];
    case 'GET /desk/picture':
      return [{ what: 'a long address', path: `${url}?u=${words}`, headers: own }];
    // A stream without end, and the end of the session that the other requests need.
    case 'GET /desk/live':
    case 'DELETE /desk/session':
      return [];
    case 'POST /desk/form-preview':
      return Object.entries(SHAPES).map(([what, make]) => ({
        what,
        path: url,
        headers: { ...own, 'content-type': 'application/json' },
        body: `{"form":${make(MEGABYTE - 100)}}`,
      }));
    case 'POST /api/files':
    case 'POST /api/tickets/:id/files':
    case 'POST /api/ticket-messages/:id/files':
      return uploads(
        filled(url, url.includes('messages') ? { ...large, ticket: large.message } : large),
        key,
      );
    case 'POST /desk/files':
    case 'POST /desk/tickets/:id/files':
    case 'POST /desk/ticket-messages/:id/files':
      return uploads(
        filled(url, url.includes('messages') ? { ...large, ticket: large.message } : large),
        own,
      );
    case 'GET /api/files/:id':
    case 'GET /api/files/:id/thumbnail':
      return [
        {
          what: 'the largest file',
          path: filled(url, { ...large, ticket: await largeFile(running) }),
          headers: key,
        },
      ];
    case 'GET /desk/files/:id':
    case 'GET /desk/files/:id/thumbnail':
      return [
        {
          what: 'the largest file',
          path: filled(url, { ...large, ticket: await largeFile(running) }),
          headers: own,
        },
      ];
    case 'GET /api/target-report/csv':
      return reports(url, key);
    case 'GET /desk/target-report/csv':
      return reports(url, own);
    case 'POST /webhooks/service/:token':
    case 'POST /webhooks/service/:workspace/:token':
      return serviceEvents(url, around);
    case 'POST /slack/events':
      return slackEvents(url);
    case 'GET /mcp':
    case 'DELETE /mcp':
      return [{ what: 'no body', path: url, headers: key }];
    case 'POST /mcp':
      await allow(running);
      return toolCalls(url, key, large);
    case 'GET /.well-known/oauth-protected-resource':
    case 'GET /.well-known/oauth-protected-resource/mcp':
    case 'GET /.well-known/oauth-authorization-server':
      return [{ what: 'no body', path: url }];
    case 'GET /oauth/authorize':
      return [{ what: 'a long query', path: `${url}?client_id=x&state=${words}`, headers: own }];
    case 'POST /oauth/register':
      return [
        {
          what: 'a long name',
          path: url,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            client_name: 'n'.repeat(OAUTH_BYTES - 100),
            redirect_uris: ['https://x.example/'],
          }),
        },
      ];
    case 'POST /oauth/authorize':
    case 'POST /oauth/token':
    case 'POST /oauth/revoke':
      return [
        {
          what: 'a long form',
          path: url,
          headers: { ...own, 'content-type': 'application/x-www-form-urlencoded' },
          body: `token=${'a&b='.repeat(OAUTH_BYTES / 4 - 10)}`,
        },
      ];
    case 'GET /shared/:code':
    case 'GET /shared/:code/files/:file':
      return [{ what: 'a long key', path: `${filled(url, large)}?k=${words}` }];
    default:
      return undefined;
  }
}

const OTHER = new Set([
  'GET /api/openapi.json',
  'POST /api/files',
  'POST /api/tickets/:id/files',
  'POST /api/ticket-messages/:id/files',
  'GET /api/files/:id',
  'GET /api/files/:id/thumbnail',
  'GET /api/target-report/csv',
]);

function filled(url: string, { ticket }: Pick<LargeWorld, 'ticket'>): string {
  return url
    .replaceAll(/:(?!id\b)\w+/g, 'x')
    .replaceAll(':id', ticket)
    .replaceAll('*', 'x');
}

/** Calls of AI tools: those that read much, and bodies of the largest size. */
function toolCalls(path: string, key: Record<string, string>, { ticket }: LargeWorld): Large[] {
  const headers = {
    ...key,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const call = (what: string, name: string, input: string): Large => ({
    what,
    path,
    headers,
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${input}}}`,
  });
  const text = JSON.stringify('a word '.repeat(TOOL_BYTES / 10));
  return [
    call('a large ticket', 'get_ticket', JSON.stringify({ ticket })),
    call('a long search', 'search_tickets', `{"query":${text}}`),
    call(
      'a long note',
      'add_note',
      `{"ticket":"${ticket}","text":${text},"idempotencyKey":"of-a-long-note"}`,
    ),
    ...Object.entries(SHAPES).map(([what, make]) => call(what, 'get_ticket', make(TOOL_BYTES))),
  ];
}

function multipart(bytes: number, parts: number): { headers: Record<string, string>; body: Buffer } {
  const head = (at: number) =>
    `--x\r\ncontent-disposition: form-data; name="file${at}"; filename="${'ü'.repeat(100)}${at}.bin"\r\n\r\n`;
  const each = Buffer.alloc(bytes, 'x');
  const pieces = Array.from({ length: parts }, (_, at) => [Buffer.from(head(at)), each, Buffer.from('\r\n')]);
  return {
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: Buffer.concat([...pieces.flat(), Buffer.from('--x--\r\n')]),
  };
}

function uploads(path: string, own: Record<string, string>): Large[] {
  const one = multipart(FILE_BYTES, 1);
  const ten = multipart(500 * 1024, 10);
  const boundaries = multipart(MEGABYTE, 1);
  return [
    { what: 'a large file', path, headers: { ...own, ...one.headers }, body: one.body },
    { what: 'ten files', path, headers: { ...own, ...ten.headers }, body: ten.body },
    {
      what: 'almost the boundary, again and again',
      path,
      headers: { ...own, ...boundaries.headers },
      body: Buffer.from(boundaries.body.toString('latin1').replaceAll('xxxx', '\r\n--'), 'latin1'),
    },
    {
      what: 'a long header',
      path,
      headers: { ...own, ...boundaries.headers },
      body: Buffer.from(
        `--x\r\ncontent-disposition: form-data; ${'a=b; '.repeat(200_000)}\r\n\r\nx\r\n--x--\r\n`,
      ),
    },
  ];
}

/** Each table of the report, of all time, with as many rows as it may have. */
function reports(path: string, headers: Record<string, string>): Large[] {
  return reportTable.options.map((table) => {
    const query = new URLSearchParams({
      table,
      from: '2000-01-01T00:00:00Z',
      to: '2100-01-01T00:00:00Z',
      groupBy: 'assignee',
      limit: String(LIMITS.targetReport.maxRows),
    });
    return { what: `all of ${table}`, path: `${path}?${query.toString()}`, headers };
  });
}

async function largeFile({ url, token }: Running): Promise<string> {
  const { headers, body } = multipart(FILE_BYTES, 1);
  const answer = await fetch(`${url}/files`, {
    method: 'POST',
    headers: { ...headers, 'x-service-api-token': token },
    body: body as unknown as string,
  });
  return ((await answer.json()) as { id: string }).id;
}

/** Tells one event from the others: a repeated one is recognised, and no work is done for it. */
let events = 0;

/** What Slack sends, signed as it signs: messages, commands, blocks and states of windows of the largest size. */
function slackEvents(path: string): (() => Large)[] {
  const signed = (what: string, type: string, body: string): Large => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    return {
      what,
      path,
      headers: {
        'content-type': type,
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': signSlack(timestamp, Buffer.from(body), DEMO.app.signingSecret),
      },
      body,
    };
  };
  const form = (what: string, fields: Record<string, string>) =>
    signed(what, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString());
  const message = (parts: object): string => {
    const number = ++events;
    return JSON.stringify({
      type: 'event_callback',
      team_id: DEMO.team.id,
      api_app_id: DEMO.app.id,
      event_id: `Ev${number}`,
      event: {
        type: 'message',
        channel: DEMO.channels.itHelp.id,
        user: DEMO.people.ada.id,
        ts: `${Math.floor(Date.now() / 1_000)}.${String(number).padStart(6, '0')}`,
        ...parts,
      },
    });
  };
  const mention = `<@${DEMO.app.botUserId}>`;
  const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
  /** As long as the body may be, whatever its signs take in JSON. */
  const longest = (fill: string, bodyOf: (text: string) => string) => {
    const ofThousand = Buffer.byteLength(JSON.stringify(FILLS[fill]?.(1_000, 1)));
    return bodyOf(FILLS[fill]?.(Math.floor(((EVENT_BYTES - 4_096) / ofThousand) * 1_000), 1) ?? '');
  };
  const texts = Object.entries(FILLS).flatMap(([fill, text]) => [
    () =>
      signed(
        `a message of ${fill}`,
        'application/json',
        longest(fill, (words) => message({ text: `${mention} ${words}` })),
      ),
    () =>
      signed(
        `a block of ${fill}`,
        'application/json',
        longest(fill, (words) => message({ text: mention, blocks: [section(`${mention} ${words}`)] })),
      ),
    () =>
      form(`a command with ${fill}`, {
        command: '/ticket',
        text: text(EVENT_BYTES / 24, 1),
        team_id: DEMO.team.id,
        user_id: DEMO.people.ada.id,
        channel_id: DEMO.channels.itHelp.id,
        trigger_id: `t${++events}`,
      }),
  ]);
  const shapes = Object.entries(SHAPES).flatMap(([what, make]) =>
    // The largest of all is refused by its values and levels; half of what they may be is worked on.
    [EVENT_BYTES - 1_000, VALUES_BYTES].flatMap((bytes) => [
      () =>
        signed(
          `blocks of ${what}, ${bytes} bytes`,
          'application/json',
          message({ text: mention, blocks: 0 }).replace('"blocks":0', `"blocks":${make(bytes)}`),
        ),
      () =>
        form(`a window of ${what}, ${bytes} bytes`, {
          payload: `{"type":"view_submission","team":{"id":"T1"},"user":{"id":"U1"},"view":{"id":"V${++events}","hash":"h","callback_id":"x","state":${make(bytes / 3)}}}`,
        }),
    ]),
  );
  return [...texts, ...shapes];
}

/** What the service reports, signed with the secret of the bridge's webhook. */
async function serviceEvents(url: string, { running }: Around): Promise<(() => Large)[]> {
  const { body } = await running.call('GET', '/webhooks?limit=1000');
  const webhooks = body.items as unknown as { url: string; secret: string | null; servesChat: boolean }[];
  const own = webhooks.find(({ servesChat }) => servesChat);
  if (!own) throw new Error('the bridge has no webhook');
  const path = url.replace(':workspace', 'x').replace(':token', own.url.split('/').at(-1) ?? '');
  const event = (what: string, data: string) => (): Large => {
    const sent = `{"type":"Ticket","action":"updated","data":${data}}`;
    const id = `evt_large_${++events}`;
    const timestamp = String(Math.floor(Date.now() / 1_000));
    return {
      what,
      path,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': sign({ id, timestamp, body: Buffer.from(sent) }, [own.secret ?? '']),
      },
      body: sent,
    };
  };
  return Object.entries(SHAPES).flatMap(([what, make]) =>
    [EVENT_BYTES - 1_000, VALUES_BYTES].map((bytes) => event(`${what}, ${bytes} bytes`, make(bytes))),
  );
}

/** The headers of somebody new who asks, and who asked with the large ticket. */
async function requester({ world, large }: Around): Promise<Record<string, string>> {
  const email = `asks-${randomUUID()}@acme.example`;
  const { id: requesterId } = await world.service.createUser({ body: { firstName: 'Asks', email } });
  await world.service.updateUser({ params: { id: requesterId }, body: { role: 'requester' } });
  await world.service.updateTicket({ params: { id: large.ticket }, body: { data: { requesterId } } });
  return { cookie: await sessionCookie(world, email), 'sec-fetch-site': 'same-origin' };
}
