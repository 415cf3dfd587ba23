import fc from 'fast-check';
import type { z } from 'zod';

import { type Route, type RouteName, routes } from '../../../src/contract/index.ts';
import { type Sample, SAMPLES, type World } from '../../service/world.ts';
import { anyText } from '../../harness/any-text.ts';

export interface Request {
  name: RouteName;
  method: string;
  /** The path as sent, neither normalised nor escaped. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Texts that have broken parsers. None has a word that the response is searched for afterwards. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '__proto__',
  'constructor',
  'toString',
  '..',
  '../../..',
  '%',
  '%_\\',
  "'; --",
  '${7*7}',
  '\u202e\u200b\ufeff',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '2026-02-30T25:61:00Z',
  '-1',
  '1e309',
  'null',
  'undefined',
  'true',
  'é'.repeat(5_000),
  'x'.repeat(10_000),
];
const HOSTILE_SEGMENTS = [
  '..',
  '.',
  '%2e%2e%2f%2e%2e',
  '%00',
  '%ED%A0%80',
  '%zz',
  '%',
  '__proto__',
  'constructor',
  '%27%3B%20--',
  '%F0%9F%8F%B4',
  'IT-0',
  'IT-99999999999999999999',
  'IT--1',
  '%20',
  'x'.repeat(499),
  'x'.repeat(10_000),
];
const HOSTILE_VALUES: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...HOSTILE_TEXTS),
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    -1,
    0.5,
    1e21,
    1.7976931348623157e308,
    2 ** 53,
    -(2 ** 63),
    [],
    {},
  ),
  fc.constantFrom<unknown>(
    { __proto__x: 1 },
    { constructor: { prototype: 1 } },
    { toString: null },
    [[[[]]]],
    [null],
  ),
  fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }),
);

/** A request of any operation, usually almost valid, so that it gets far. */
export function anyRequest(world: World): fc.Arbitrary<Request> {
  const ids = [...new Set(Object.values(world as unknown as Record<string, string>))];
  const rows = Object.entries(routes) as [RouteName, Route][];
  return fc.oneof(...rows.map(([name, route]) => requestOf(name, route, SAMPLES[name](world), ids)));
}

function requestOf(
  name: RouteName,
  route: Route,
  sample: Sample,
  ids: readonly string[],
): fc.Arbitrary<Request> {
  // Deletions rarely find a record, so that enough remain for other requests.
  const finds = route.method === 'DELETE' ? 1 : 16;
  const segmentOf = (param: string) =>
    fc.oneof(
      { weight: finds, arbitrary: fc.constant(sample.params?.[param] ?? 'nothing') },
      { weight: 4, arbitrary: fc.constantFrom(...ids) },
      { weight: 1, arbitrary: fc.constantFrom('IT-1', 'HELP-1', 'HELP-2', ...HOSTILE_SEGMENTS) },
    );
  const params = Object.keys(route.params?.shape ?? {});
  return fc
    .record({
      segments: fc.tuple(...params.map(segmentOf)),
      query: route.query ? queryOf(route.query, ids) : fc.constant(''),
      body: route.body ? bodyOf(route.body, sample, ids) : fc.constant(undefined),
      type: fc.oneof(
        { weight: 20, arbitrary: fc.constant('application/json') },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            'text/plain',
            'application/x-www-form-urlencoded',
            'multipart/form-data; boundary=x',
            'application/json; charset=utf-16',
            'application/JSON',
            '///',
            '',
          ),
        },
      ),
    })
    .map(({ segments, query, body, type }) => {
      const path = params.reduce(
        (text, param, index) => text.replace(`{${param}}`, segments[index] ?? ''),
        route.path,
      );
      return {
        name,
        method: route.method,
        path: `${path}${query}`,
        headers: body === undefined ? {} : { 'content-type': type },
        body,
      };
    });
}

function queryOf(schema: z.ZodObject, ids: readonly string[]): fc.Arbitrary<string> {
  const pairs = Object.entries<z.core.$ZodType>(schema.shape).map(([name, field]) =>
    fc.option(
      fc.tuple(
        fc.constant(name),
        fc.oneof(
          { weight: 5, arbitrary: inputOf(field, ids, name).map(wordOf) },
          { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
        ),
        fc.boolean(),
      ),
      { nil: undefined, freq: 2 },
    ),
  );
  return fc
    .tuple(
      fc.constantFrom(1, 2, 3, 9),
      fc.constantFrom('', '', '', '&__proto__=1', '&%=%', '&x[a][b]=1'),
      fc.tuple(...pairs),
    )
    .map(([most, extra, chosen]) => {
      const given = chosen.filter((pair) => pair !== undefined).slice(0, most);
      const needed = given.map(([name, value, again]) => {
        const text = `${name}=${escaped(value)}`;
        // A repeated parameter is a list to the server.
        return again && value.length % 5 === 0 ? `${text}&${text}` : text;
      });
      return `?${needed.join('&')}${extra}`;
    });
}

function bodyOf(schema: z.ZodObject, sample: Sample, ids: readonly string[]): fc.Arbitrary<string> {
  const free = inputOf(schema, ids) as fc.Arbitrary<Record<string, unknown>>;
  const fields = Object.keys(schema.shape);
  // The sample with a few random fields gets past the rules; a random body triggers all of them.
  const added = fc
    .tuple(free, fc.subarray(fields, { maxLength: Math.min(3, fields.length) }))
    .map(([body, chosen]) => ({
      ...sample.body,
      ...Object.fromEntries(
        chosen.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]])),
      ),
    }));
  const valid: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
    { weight: 3, arbitrary: added },
    { weight: 1, arbitrary: free },
  );
  const bent = fc
    .tuple(valid, fc.constantFrom(...fields, '__proto__x', 'constructor'), HOSTILE_VALUES)
    .map(([body, field, value]) => ({ ...body, [field]: value }));
  const bentInside = fc.tuple(valid, fc.nat(), HOSTILE_VALUES).map(([body, at, value]) => {
    // A copy: requests share the objects of a sample.
    const copy = structuredClone(body);
    const inner = Object.values(copy).filter((part) => typeof part === 'object' && part !== null);
    const target = inner[at % Math.max(inner.length, 1)] as Record<string, unknown> | undefined;
    const keys = Object.keys(target ?? {});
    const key = keys[at % Math.max(keys.length, 1)];
    if (target && key !== undefined) target[key] = value;
    return copy;
  });
  const raw = fc.constantFrom(
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '{"title":1e999}',
    '{"title":"\ud800"}',
    '{"__proto__":{"role":"admin"}}',
    '{"title":"a","title":"b"}',
    `{"data":${'['.repeat(60)}${']'.repeat(60)}}`,
    '['.repeat(100_000),
    `{"title":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
  );
  return fc.oneof(
    { weight: 6, arbitrary: valid.map((body) => JSON.stringify(body)) },
    { weight: 5, arbitrary: bent.map((body) => JSON.stringify(body)) },
    { weight: 3, arbitrary: bentInside.map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: raw },
    { weight: 1, arbitrary: HOSTILE_VALUES.map((value) => JSON.stringify(value)) },
  );
}

/** Values that a request's schema accepts, or almost: custom rules are left to chance. */
function inputOf(schema: z.core.$ZodType, ids: readonly string[], name = ''): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  // Nothing listens there, so events are never delivered.
  if (name === 'url') return fc.constant('http://127.0.0.1:9/hook');
  switch (def.type) {
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(def.shape).map(([key, value]) => [key, inputOf(value, ids, key)])),
      );
    case 'array':
      return fc.array(inputOf(def.element, ids, name), { maxLength: 3 });
    case 'optional':
      return fc.option(inputOf(def.innerType, ids, name), { nil: undefined, freq: 1 });
    case 'nullable':
      return fc.option(inputOf(def.innerType, ids, name), { nil: null, freq: 4 });
    case 'default':
    case 'prefault':
      return inputOf(def.innerType, ids, name);
    case 'pipe':
      return inputOf(def.in, ids, name);
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'boolean':
      return fc.boolean();
    case 'number':
      return fc.oneof(
        fc.integer({ min: 0, max: 9 }),
        fc.constantFrom(...[0, 1, 5, 100].filter((value) => takes(schema, value))),
        fc.nat(),
      );
    case 'record':
      return fc.dictionary(
        fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom(...HOSTILE_TEXTS)),
        inputOf(def.valueType, ids),
        { maxKeys: 3 },
      );
    case 'tuple':
      return fc.tuple(...def.items.map((item) => inputOf(item, ids)));
    case 'union':
      return fc.oneof(...def.options.map((option) => inputOf(option, ids, name)));
    case 'string':
      return textOf(schema, ids, name);
    default:
      return fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom<unknown>(...HOSTILE_TEXTS));
  }
}

function textOf(schema: z.core.$ZodType, ids: readonly string[], name: string): fc.Arbitrary<unknown> {
  if (/(^id|Ids?)$/.test(name)) return fc.constantFrom(...ids);
  const example = fc.constantFrom(...TEXTS.filter((text) => takes(schema, text)), ids[0] ?? '');
  if (!takes(schema, 'any words')) return example;
  return fc.oneof(example, anyText({ maxLength: 40 }), fc.string({ minLength: 1, maxLength: 8 }));
}

/** Texts with a format. */
const TEXTS = [
  '2026-11-20T09:30:00.000Z',
  'https://desk.acme.example/',
  'ada@acme.example',
  '#2f6f4f',
  'IT',
  'it',
  'id',
  'day',
  'America/New_York',
  'C024BE91L',
  '1795167000.000100',
];

function takes(schema: z.core.$ZodType, value: unknown): boolean {
  return (schema as z.ZodType).safeParse(value).success;
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** Percent-encoded, a lone surrogate as the bytes that UTF-8 forbids. */
function escaped(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}
