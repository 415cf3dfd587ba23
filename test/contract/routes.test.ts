import { describe, expect, expectTypeOf, it } from 'vitest';

import { errorEnvelope, readErrorBody } from '../../src/contract/errors.ts';
import {
  BYTE_ROUTES,
  type ParsedQuery,
  type Route,
  type RouteAnswer,
  type RouteBody,
  routes,
} from '../../src/contract/index.ts';
import type { TicketDetail } from '../../src/contract/ticket.ts';

const rows: [string, Route][] = Object.entries({ ...routes, ...BYTE_ROUTES });
const get = (path: string) => `GET ${path}`;

describe('the route table', () => {
  it.each(rows)('%s has exactly the parameters of its path', (_name, route) => {
    const named = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(Object.keys(route.params?.shape ?? {})).toEqual(named);
  });

  it('no two routes match the same request', () => {
    const requests = rows.map(([, { method, path }]) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
    expect(new Set(requests).size).toBe(requests.length);
  });

  it.each(rows)(
    '%s: reading requires the read role unless it returns secrets, writing a higher one',
    (_name, route) => {
      // Previews and counts are POST requests because their queries are long; they write nothing.
      const preview = route.path.startsWith('/analytics/') || route.path === '/tickets/counts';
      if (route.method !== 'GET' && !preview) expect(route.role).not.toBe('read');
      if (route.method === 'GET') expect(route.body).toBeUndefined();
    },
  );

  it('only the operations of the specification are no extensions', () => {
    const published = rows.filter(([, { ext }]) => !ext).map(([, { method, path }]) => `${method} ${path}`);
    expect(published.toSorted()).toEqual([
      'DELETE /ticket-messages/{id}',
      ...['/agents', '/applications', '/custom-fields', '/forms', '/queues', '/queues/{id}', '/statuses'].map(
        get,
      ),
      ...['/statuses/{id}', '/tags', '/ticket-messages', '/tickets', '/tickets/semantic-search'].map(get),
      ...['/tickets/{id}', '/users', '/users/{id}', '/workflow-config/apps'].map(get),
      ...['/workflow-config/{workflowId}/steps/{stepId}', '/workspaces', '/workspaces/{id}'].map(get),
      'POST /agents',
      'POST /analytics/preview-metric',
      'POST /analytics/preview-trend',
      'POST /request-types',
      'POST /request-types/move',
      'POST /ticket-messages',
      'POST /tickets',
      'POST /webhooks',
      'POST /workflows/duplicate',
      'PUT /queues/{id}',
      'PUT /statuses',
      'PUT /tickets/{id}',
      'PUT /webhooks/{id}',
      'PUT /workflows/{id}',
      'PUT /workspaces/{id}',
    ]);
  });

  it('types follow the routes', () => {
    expectTypeOf<RouteAnswer<'createTicket'>>().toEqualTypeOf<TicketDetail>();
    expectTypeOf<RouteBody<'listTickets'>>().toEqualTypeOf<undefined>();
    expectTypeOf<ParsedQuery<'listTickets'>['limit']>().toEqualTypeOf<number>();
    expectTypeOf<ParsedQuery<'listTickets'>['chatChannelId']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<RouteBody<'claimTicket'>>().toEqualTypeOf<{ userId: string }>();
  });
});

describe('list parameters', () => {
  const { query } = routes.listTickets;
  it.each([
    ['limit 0', { limit: 0 }],
    ['limit 10001', { limit: 10_001 }],
    ['limit 1.5', { limit: 1.5 }],
    ['skip 0', { skip: 0 }],
    ['offset -1', { offset: -1 }],
    ['skip and offset', { skip: 1, offset: 1 }],
    ['cursor and skip', { cursor: 'c', skip: 1 }],
    ['cursor and offset 0', { cursor: 'c', offset: 0 }],
    ['an unknown sortBy', { sortBy: 'mood' }],
    ['an unknown priority', { priority: 'SOON' }],
  ])('%s is rejected', (_what, values) => {
    expect(query.safeParse(values).success).toBe(false);
  });

  it('null means unset, limit defaults to 100', () => {
    expect(query.parse({ limit: null, skip: null, cursor: null }).limit).toBe(100);
    expect(query.parse({ offset: 0, limit: 10_000 })).toMatchObject({ offset: 0, limit: 10_000 });
  });
});

describe('error bodies', () => {
  it('are parsed flat, as our service sends them', () => {
    const body = {
      code: 'BAD_REQUEST',
      message: 'm',
      issues: [{ path: 'title', message: 'x' }],
      requestId: 'r',
    } as const;
    expect(errorEnvelope.parse(body)).toEqual(body);
    expect(readErrorBody(body)).toEqual({ ...body, conflict: null });
  });

  it('are parsed nested, and any body without an exception', () => {
    expect(readErrorBody({ error: { code: 'X', message: 'y' } })).toMatchObject({ code: 'X', message: 'y' });
    for (const body of [
      null,
      undefined,
      1,
      'text',
      [],
      { error: 'why' },
      { issues: [null, 1, { path: ['a', 0] }] },
    ])
      expect(readErrorBody(body).requestId).toBeNull();
    expect(readErrorBody({ error: 'why' }).message).toBe('why');
  });
});
