import { describe, expect, it } from 'vitest';
import type { z } from 'zod';

import { BYTE_ROUTES, errorEnvelope, type Route, type RouteName, routes } from '../../src/contract/index.ts';
import { sharedService } from './harness.ts';
import { anotherWorkspace, createWorld, optionsOf, pathOf, type Sample, SAMPLES } from './world.ts';

const newWorkspace = sharedService();

const rows = Object.entries(routes) as [RouteName, Route][];

describe('every route of the route table', () => {
  it('gets 200 for its sample, with a body that matches its closed schema', async () => {
    const running = await newWorkspace();
    const world = await createWorld(running);
    // Operations that delete records come last.
    const ordered = [...rows].sort(
      ([, a], [, b]) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
    );
    for (const [name, route] of ordered) {
      const sample = SAMPLES[name](world);
      const answer = await running.call(route.method, pathOf(route.path, sample), optionsOf(sample));
      expect([name, answer.status, answer.status === 200 ? '' : answer.body]).toEqual([name, 200, '']);
      expect(() => route.answer.parse(answer.body), name).not.toThrow();
      expect(answer.headers.get('x-service-version')).toBe('0.0.0-test');
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    }
  });

  it('gets 401 without a key, with an unknown one and with one too short, always with the same body', async () => {
    const { call } = await newWorkspace();
    const bodies = new Set<string>();
    for (const [name, route] of rows)
      for (const token of [null, 'unknown-key-of-some-length', 'short', 'x'.repeat(600)]) {
        const path = pathOfNothing(route.path);
        const answer = await call(route.method, path, { token });
        expect([name, answer.status]).toEqual([name, 401]);
        const { requestId, ...body } = errorEnvelope.parse(answer.body);
        expect(requestId).toBe(answer.headers.get('x-request-id'));
        expect(answer.headers.get('www-authenticate')).toBeTruthy();
        bodies.add(JSON.stringify(body));
      }
    expect(bodies.size).toBe(1);
  });

  it('gets 403 with a key of too low a role, before its body is checked', async () => {
    const { call, key } = await newWorkspace();
    const keys = { read: await key('read'), agent: await key('agent'), admin: await key('admin') };
    const rank = ['read', 'agent', 'admin'] as const;
    for (const [name, route] of rows)
      for (const role of rank) {
        if (rank.indexOf(role) >= rank.indexOf(route.role)) continue;
        const path = pathOfNothing(route.path);
        const answer = await call(route.method, path, {
          token: keys[role],
          ...(route.body && { body: '{' }),
        });
        expect([name, role, answer.status, errorEnvelope.parse(answer.body).code]).toEqual([
          name,
          role,
          403,
          'FORBIDDEN',
        ]);
      }
  });

  it('reads and changes nothing of another workspace: 404, with the body for a record that does not exist', async () => {
    const running = await newWorkspace();
    const world = await createWorld(running);
    const other = await anotherWorkspace(running);
    for (const [name, route] of rows) {
      if (!route.params) continue;
      const sample = SAMPLES[name](world);
      const foreign = await running.call(route.method, pathOf(route.path, sample), {
        body: sample.body,
        token: other.token,
      });
      const missing = await running.call(route.method, pathOf(pathOfNothing(route.path), sample), {
        body: sample.body,
        token: other.token,
      });
      expect([name, foreign.status, missing.status]).toEqual([name, 404, 404]);
      expect({ ...foreign.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
    }
    for (const [name, route] of rows) {
      // Built-in records are the same for every workspace, a key has no session, and a count is no list.
      const others = ['listWorkflowApps', 'readSession', 'countNotifications'];
      if (route.method !== 'GET' || route.params || others.includes(name)) continue;
      const query = neededBy(route, SAMPLES[name](world));
      const foreign = { query: { ...query, workspaceId: running.workspaceId } };
      const answer = await running.call('GET', pathOf(route.path, foreign), { token: other.token });
      expect([name, answer.status]).toEqual([name, 200]);
      const nothing =
        name === 'readTargetReport'
          ? { groups: [], breaches: [], waiting: [] }
          : { items: [], totalCount: 0 };
      expect(answer.body, name).toMatchObject(nothing);
      const own = await running.call('GET', pathOf(route.path, { query }), { token: other.token });
      expect(JSON.stringify(own.body), name).not.toMatch(new RegExp(Object.values(world).join('|')));
    }
  });

  it('rejects a wrong value in any field of its body with 400, naming the field', async () => {
    const running = await newWorkspace();
    const world = await createWorld(running);
    for (const [name, route] of rows) {
      if (!route.body) continue;
      const sample = SAMPLES[name](world);
      const path = pathOf(route.path, sample);
      for (const [field, schema] of Object.entries<z.core.$ZodType>(route.body.shape)) {
        const answer = await running.call(route.method, path, {
          body: { ...sample.body, [field]: wrongFor(schema) },
        });
        expect([name, field, answer.status]).toEqual([name, field, 400]);
        const { issues, code } = errorEnvelope.parse(answer.body);
        expect([code, issues?.[0]?.path.split('.')[0]]).toEqual(['BAD_REQUEST', field]);
      }
      for (const body of ['', '{', '[]', '"text"', 'null', '{"a":\u0000}', '{"__proto__":{}}']) {
        const answer = await running.call(route.method, path, { body });
        expect([name, body, answer.status]).toEqual([name, body, 400]);
      }
    }
  });

  it('rejects a wrong value in any parameter of its query with 400; empty and null mean unset', async () => {
    const running = await newWorkspace();
    const world = await createWorld(running);
    for (const [name, route] of rows) {
      if (!route.query) continue;
      const sample = SAMPLES[name](world);
      const fields = Object.keys(route.query.shape);
      for (const field of fields) {
        const path = pathOf(route.path, sample.params ? { params: sample.params } : {});
        const twice = await running.call(route.method, `${path}?${field}=a&${field}=b`, {
          body: sample.body,
        });
        expect([name, field, twice.status]).toEqual([name, field, 400]);
      }
      if (route.method !== 'GET') continue;
      const needed = neededBy(route, sample);
      const absent = fields
        .filter((field) => !(field in needed))
        .map((field, index): [string, string] => [field, index % 2 ? '' : 'null']);
      const query = { ...Object.fromEntries(absent), ...needed, unknown: '1' };
      const path = pathOf(route.path, { params: sample.params ?? {}, query });
      const answer = await running.call('GET', path, optionsOf(sample));
      expect([name, answer.status]).toEqual([name, 200]);
    }
  });

  it('gets 405 for any other method on its path, with the allowed methods', async () => {
    const { call } = await newWorkspace();
    const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
    const all: Route[] = [...Object.values(routes), ...Object.values(BYTE_ROUTES)];
    for (const path of new Set(all.map((route) => route.path))) {
      const taken = all.filter((route) => route.path === path).map(({ method }) => method as string);
      for (const method of methods.filter((other) => !taken.includes(other))) {
        const answer = await call(method, pathOfNothing(path));
        expect([method, path, answer.status, answer.body.code]).toEqual([
          method,
          path,
          405,
          'METHOD_NOT_ALLOWED',
        ]);
        expect(answer.headers.get('allow')?.split(', ').sort()).toEqual([...taken].sort());
      }
    }
    expect((await call('GET', '/nothing')).body.code).toBe('NOT_FOUND');
  });
});

/** The parameters of a sample without which its operation returns nothing; most need none. */
function neededBy({ query }: Route, sample: Sample): Record<string, string> {
  return query?.safeParse({}).success === false ? (sample.query ?? {}) : {};
}

/** The path with ids of no record. */
function pathOfNothing(path: string): string {
  return path.replace(/\{\w+\}/g, 'nothing');
}

function wrongFor(schema: z.core.$ZodType): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
      return wrongFor(def.innerType);
    case 'string':
    case 'boolean':
      return 42;
    case 'enum':
      return 'NOT_ONE_OF_THEM';
    case 'array':
      return {};
    default:
      return 'text';
  }
}
