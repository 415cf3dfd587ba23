import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { BYTE_ROUTES, ERROR_STATUS, type Route, routes } from '../../src/contract/index.ts';
import { openApiDocument, type Operation } from '../../src/service/http/openapi.ts';
import { serveDocs } from './docs-server.ts';

const rows: [string, Route][] = Object.entries(routes);
/** Operations that carry bytes. */
const bytes: [string, Route][] = Object.entries(BYTE_ROUTES);
const document = openApiDocument('1.2.3');

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1 for an independent validator', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors).toBeUndefined();
    expect([result.valid, validator.version]).toEqual([true, '3.1']);
  });

  it('has every route of the route table and no others', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId,
        method.toUpperCase(),
        path,
      ]),
    );
    expect(described.sort()).toEqual(
      [...rows, ...bytes].map(([name, { method, path }]) => [name, method, path]).sort(),
    );
  });

  it('has each route’s parameters, body, responses and errors, and whether it is Ext', () => {
    for (const [name, route] of rows) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase()];
      expect(operation?.['x-ext'] ?? false, name).toBe(route.ext);
      expect(operation?.['summary'], name).toBe(route.summary);
      const told = operation?.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(told, name).toEqual([
        ...Object.keys(route.params?.shape ?? {}).map((field) => `path ${field}`),
        ...Object.keys(route.query?.shape ?? {}).map((field) => `query ${field}`),
      ]);
      expect(operation !== undefined && 'requestBody' in operation, name).toBe(route.body !== undefined);
      const answers = Object.keys(operation?.responses ?? {});
      expect(answers, name).toEqual(
        expect.arrayContaining(['200', ...(route.errors ?? []).map((code) => String(ERROR_STATUS[code]))]),
      );
      const content = JSON.stringify(operation?.responses['200']);
      expect(content.includes('responseType=thin'), name).toBe(route.thin !== undefined);
    }
  });

  it('allows the same in a query as the service: null and the empty text for optional parameters', () => {
    for (const [name, route] of rows)
      for (const parameter of document.paths[route.path]?.[route.method.toLowerCase()]?.parameters ?? []) {
        if (parameter.in !== 'query' || parameter.required) continue;
        const where = `${name} ${parameter.name}`;
        expect([where, parameter.allowEmptyValue]).toEqual([where, true]);
        const schema = z.fromJSONSchema(parameter.schema);
        expect([where, schema.safeParse(null).success]).toEqual([where, true]);
      }
  });

  // What `redocly lint` and Spectral's `spectral:oas` require beyond a valid document; both find nothing in
  // this one.
  it('meets the rules of linters: descriptions, operation ids, items of arrays, and no unused components', () => {
    const operations = [
      ...Object.values(document.paths).flatMap((methods) => Object.values(methods)),
      ...Object.values(document['webhooks'] as Record<string, { post: Operation }>).map(({ post }) => post),
    ];
    const ids = operations.map(({ operationId }) => operationId);
    expect([new Set(ids).size, ids.filter(Boolean).length]).toEqual([ids.length, ids.length]);
    for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
      const { operationId, summary, description, tags } = operation;
      expect([operationId, summary, description], operationId).toEqual(
        Array.from({ length: 3 }, () => expect.stringMatching(/\S/) as string),
      );
      expect(tags, operationId).toHaveLength(1);
      expect(Object.keys(operation.responses).some((status) => status.startsWith('4'))).toBe(true);
    }
    const tags = document['tags'] as { name: string; description?: string }[];
    expect(tags.filter(({ description }) => !description)).toEqual([]);
    expect(new Set(operations.flatMap((one) => (one['tags'] as string[] | undefined) ?? []))).toEqual(
      new Set(tags.map(({ name }) => name)),
    );
    expect(document.info).toMatchObject({
      license: { name: 'MIT' },
      contact: { name: expect.any(String) as string },
    });
    expect(document['servers']).toHaveLength(1);
    const text = JSON.stringify(document, (_, value: unknown) => {
      const isArray =
        typeof value === 'object' &&
        value !== null &&
        'type' in value &&
        [value.type].flat().includes('array');
      if (isArray) expect(value).toHaveProperty('items', expect.any(Object));
      return value;
    });
    for (const kind of ['schemas', 'responses', 'headers'])
      for (const name of Object.keys(document.components[kind] as object))
        expect(text, name).toContain(`"#/components/${kind}/${name}"`);
  });

  it('refers only to existing components', () => {
    const text = JSON.stringify(document);
    for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g))
      expect(document.components[kind], `${kind}/${name}`).toHaveProperty(name);
    expect(text).not.toContain('$defs');
  });
});

describe('the documentation endpoints', () => {
  it('/api/openapi.json needs no key, and supports conditional requests', async () => {
    const url = `${await serveDocs()}/api/openapi.json`;
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(document)));
    const again = await fetch(url, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('/docs loads nothing from another host', async () => {
    const page = await fetch(`${await serveDocs()}/docs`);
    const html = await page.text();
    expect(page.url).toMatch(/\/docs\/$/);
    expect(html).not.toMatch(/https?:\/\//);
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-/,
    );
    const script = await fetch(new URL('js/scalar.js', page.url));
    expect([script.status, script.headers.get('content-type')]).toEqual([
      200,
      'application/javascript; charset=utf-8',
    ]);
  });

  it.each(['/docs/', '/docs/js/scalar.js'])(
    '%s is sent compressed, and not again if it is known',
    async (path) => {
      const server = await serveDocs();
      const read = (headers: Record<string, string>) => fetch(`${server}${path}`, { headers });
      const plain = await read({ 'accept-encoding': 'identity' });
      const text = await plain.text();
      expect(plain.headers.get('content-encoding')).toBeNull();
      for (const encoding of ['gzip', 'br']) {
        const compressed = await read({ 'accept-encoding': encoding });
        expect([encoding, compressed.headers.get('content-encoding')]).toEqual([encoding, encoding]);
        expect(Number(compressed.headers.get('content-length'))).toBeLessThan(text.length / 1.5);
        expect((await compressed.text()) === text).toBe(true);
      }
      const known = await read({ 'if-none-match': plain.headers.get('etag') ?? '' });
      expect([known.status, await known.text()]).toEqual([304, '']);
    },
  );
});
