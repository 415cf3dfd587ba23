import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

import { routes } from '../../src/contract/index.ts';

/** The differences between this service and ours, besides lacking every Ext operation. */
export interface Differences {
  /** The response to an operation that it lacks: 404 with a JSON error, or 405 with the page of its web server. */
  missing: 404 | 405;
  /** The shape of its lists. */
  lists: 'array' | 'data' | 'items';
  /** Whether its records still name the chat message that they came from. */
  pairs: 'kept' | 'dropped';
  /** The content of its events: the id of the record, or also the ticket's. */
  events: 'id' | 'ticketId';
}

export interface ForeignService {
  /** The URL to use instead of our service's, without `/api`. */
  url: string;
  /** Calls of operations that it lacks: `PUT /users`. */
  unsupportedCalls: string[];
  /** Bodies of the events that it sent. */
  events: unknown[];
}

/** Filters and fields beyond the published interface: ignored like an unknown parameter. */
const UNKNOWN_PARAMETERS = [
  'updatedFrom',
  'createdFrom',
  'createdTo',
  'chatChannelId',
  'chatMessageTs',
  'visibleToUserId',
  'teamQueueIds',
  'private',
  'chatUserId',
  'includeDeleted',
];
const UNKNOWN_FIELDS = new Set(['absence', 'followers', 'customFields', 'metadata', 'visibility']);
const FOREIGN_VALUES: Record<string, string> = {
  priority: 'SOMEWHAT',
  status: 'PERSISTED',
  source: 'MESSENGER',
  legacyStatus: 'PONDERED',
};
/** One variant also lacks search by meaning, though that is published. */
const NO_SEARCH = '/tickets/semantic-search';
/** Unique each time, so that the service does not recognize a repeated chat pair. */
const NONCE = /~\d+~/g;

/**
 * Another implementation of the published interface, in front of ours: it answers 404 or 405 to every Ext
 * operation, knows no Ext filter and field, sends unknown enum values, lists in another shape, sends events
 * with its own body and without our headers, and stores a repeated POST with a chat pair as a second record.
 */
export async function startForeignService(target: string, differences: Differences): Promise<ForeignService> {
  const foreign: ForeignService = { url: '', unsupportedCalls: [], events: [] };
  const hooks: string[] = [];
  let nonces = 0;
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const text = await textOf(incoming);
    const url = new URL(incoming.url ?? '', foreign.url);
    const hook = /^\/hook\/(\d+)$/.exec(url.pathname);
    if (hook) return forwardEvent(hooks[Number(hook[1])] ?? '', text, outgoing);
    const method = incoming.method ?? '';
    const path = url.pathname.replace(/^\/api/, '');
    if (!isPublished(method, path) || (differences.missing === 405 && path === NO_SEARCH)) {
      foreign.unsupportedCalls.push(`${method} ${path}`);
      if (differences.missing === 405) outgoing.writeHead(405).end('<html>Method not allowed</html>');
      else send(outgoing, 404, { error: { code: 'NO_SUCH_OPERATION', message: 'Unknown.' } });
      return;
    }
    for (const name of UNKNOWN_PARAMETERS) url.searchParams.delete(name);
    const answer = await fetch(`${target}${url.pathname}${url.search}`, {
      method,
      headers: {
        'x-service-api-token': String(incoming.headers['x-service-api-token']),
        ...(text ? { 'content-type': 'application/json' } : {}),
      },
      ...(text ? { body: JSON.stringify(toOurs(path, JSON.parse(text) as Record<string, unknown>)) } : {}),
    });
    const plain = (await answer.text()).replaceAll(NONCE, '');
    send(outgoing, answer.status, answer.ok ? fromOurs(JSON.parse(plain)) : JSON.parse(plain));
  }

  /** Sends our service's event with another body. */
  async function forwardEvent(to: string, text: string, outgoing: ServerResponse): Promise<void> {
    const { type, data, ticket } = JSON.parse(text) as {
      type: string;
      data: { id: string };
      ticket: { id: string } | null;
    };
    const body = {
      type,
      id: data.id,
      ...(differences.events === 'ticketId' ? { ticketId: ticket?.id } : {}),
    };
    foreign.events.push(body);
    const response = await fetch(to, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-foreign-signature': 'of its own making' },
      body: JSON.stringify(body),
    });
    send(outgoing, response.status, {});
  }

  /** Converts a request for our service. */
  function toOurs(path: string, body: Record<string, unknown>): Record<string, unknown> {
    if (path.startsWith('/webhooks') && typeof body['url'] === 'string') {
      const at = hooks.includes(body['url']) ? hooks.indexOf(body['url']) : hooks.push(body['url']) - 1;
      // It signs in its own way, and stores no secret of ours.
      return { ...body, secret: null, url: `${foreign.url}/hook/${at}` };
    }
    if (typeof body['chatTimestamp'] !== 'string') return body;
    const { chatTimestamp, ...rest } = body;
    return differences.pairs === 'kept' ? { ...rest, chatTimestamp: `${chatTimestamp}~${++nonces}~` } : rest;
  }

  /** Converts a response of our service. */
  function fromOurs(value: unknown): unknown {
    if (!isObject(value)) return value;
    if (!Array.isArray(value['items'])) return record(value);
    const items = value['items'].map(record);
    delete value['matches'];
    if (differences.lists === 'array') return items;
    return differences.lists === 'data'
      ? { data: items, nextCursor: value['nextCursor'] }
      : { ...value, items };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  foreign.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close').catch(() => undefined);
  });
  return foreign;
}

/** A record without unpublished fields, and with unknown enum values. */
function record(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(record);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !UNKNOWN_FIELDS.has(key))
      .map(([key, one]) => [key, typeof one === 'string' ? (FOREIGN_VALUES[key] ?? one) : record(one)]),
  );
}

function isPublished(method: string, path: string): boolean {
  const matching = Object.values(routes).filter(
    (route) =>
      route.method === method && new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return matching.some(({ ext }) => !ext);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function send(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
