import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';

import { ERROR_STATUS, errorEnvelope, type Route, routes, webhookEvent } from '../../src/contract/index.ts';
import { openApiDocument } from '../../src/service/http/openapi.ts';
import { exampleOf } from '../../src/service/http/openapi-examples.ts';
import { serveDocs } from './docs-server.ts';

const rows: [string, Route][] = Object.entries(routes);
const document = openApiDocument('1.2.3');

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1, as an independent validator reads it', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors).toBeUndefined();
    expect([result.valid, validator.version]).toEqual([true, '3.1']);
  });

  it('has every row of the route table and nothing else', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId,
        method.toUpperCase(),
        path,
      ]),
    );
    expect(described.sort()).toEqual(rows.map(([name, { method, path }]) => [name, method, path]).sort());
  });

  it('tells of each row its parameters, its body, its answers, its errors and whether it is Ext', () => {
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

  it('shows examples that the schemas of the contract take', () => {
    const parts = rows.flatMap(([name, route]): [string, z.ZodType, 'input' | 'output'][] => [
      ...(['params', 'query', 'body'] as const).flatMap((part): [string, z.ZodType, 'input'][] =>
        route[part] ? [[`${name} ${part}`, route[part], 'input']] : [],
      ),
      [`${name} answer`, route.answer, 'output'],
      ...(route.thin ? [[`${name} thin`, route.thin, 'output'] as [string, z.ZodType, 'output']] : []),
    ]);
    const events = webhookEvent.options.map((option): [string, z.ZodType, 'output'] => [
      'event',
      option,
      'output',
    ]);
    for (const [what, schema, io] of [...parts, ...events]) {
      const example = exampleOf(schema, io);
      expect([what, schema.safeParse(example).error?.issues ?? []]).toEqual([what, []]);
    }
    const errors = document.components['responses'] as Record<
      string,
      { content: Record<string, { example: unknown }> }
    >;
    for (const [code, { content }] of Object.entries(errors))
      expect(errorEnvelope.parse(content['application/json']?.example).code).toBe(code);
  });

  it('refers only to components that it has', () => {
    const text = JSON.stringify(document);
    for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g))
      expect(document.components[kind], `${kind}/${name}`).toHaveProperty(name);
    expect(text).not.toContain('$defs');
  });
});

describe('what is served', () => {
  it('/api/openapi.json is open without a key, and not sent again to who has it', async () => {
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

  it('/docs names nothing of another host', async () => {
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
});
