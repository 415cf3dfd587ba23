import { expect, test } from 'vitest';

import { type Route, routes } from '../../src/contract/index.ts';
import { sharedService } from '../service/harness.ts';
import { drawn } from './drill.ts';

const newWorkspace = sharedService();

/** Of so many requests the short form sends one. */
const ONE_OF = 3;

/** Of every kind that a parameter can be: absent in spirit, of another type, at a bound, hostile. */
const VALUES = [
  '',
  'null',
  'undefined',
  '0',
  '-1',
  '1.5',
  '1e309',
  'NaN',
  'infinity',
  'true',
  'TRUE',
  '[]',
  '{}',
  '""',
  "'; drop table ticket; --",
  ',',
  'a,b',
  ' ',
  '\t',
  '\0',
  'a\0b',
  '\u200B',
  '😀',
  '\u202E',
  'İß',
  '%',
  '_',
  '\\',
  '2147483648',
  '9223372036854775808',
  '2026-02-30',
  '0000-00-00T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '2026-11-27T00:00:00+99:99',
  'IT-1',
  'IT-999999999',
  'tkt_',
  '__proto__',
  'constructor',
  'createdAt',
  'a'.repeat(600),
  'ñ'.repeat(2000),
  'a,'.repeat(1500),
  Buffer.from('[null,null]').toString('base64url'),
  Buffer.from('["infinity","x"]').toString('base64url'),
].map(encodeURIComponent);

/** As no browser writes them. */
const RAW = ['%', '%zz', '%c0%80', '%ed%a0%80', '%ff', '%0d%0a', '..', '../x'];

const BODIES = [
  '',
  'null',
  '[]',
  '"x"',
  '1',
  '{',
  '{}',
  '{"__proto__":{}}',
  '['.repeat(5000),
  '{"data":null}',
];

const ABSENT = 'tkt_01jd0000000000000000000000';

function namesIn(schema: unknown): string[] {
  const { shape, def } = schema as { shape?: object; def?: { in?: unknown; innerType?: unknown } };
  if (shape) return Object.keys(shape);
  const inner = def?.in ?? def?.innerType;
  return inner === undefined ? [] : namesIn(inner);
}

/** Every path and query of a route with one odd value in it. */
function addressesOf({ path, query }: Route): string[] {
  const plain = path.replaceAll(/\{\w+\}/g, ABSENT);
  const names = query ? namesIn(query) : [];
  const asked = names.includes('query') ? 'query=printer&' : '';
  const queries = names.flatMap((name) => [
    ...[...VALUES, ...RAW].map((value) => `${asked}${name}=${value}`),
    ...[`${name}=a&${name}=b`, `${name}[]=a`, `${name}[x]=a`, `${name}.x=1`, name].map((one) => asked + one),
  ]);
  const paths = path.includes('{')
    ? [...VALUES, ...RAW].map((value) => path.replaceAll(/\{\w+\}/g, value) + (asked && `?${asked}`))
    : [];
  return [...queries.map((one) => `${plain}?${one}`), ...paths];
}

/** Words of TypeScript and of our tools, which say nothing to somebody who sends requests. */
const UNCLEAR = /undefined|NaN|received|zod|syntax error|invalid input|TypeError|at .*\.ts:/i;

const isMany = ([, count = 0]: number[]) => count > 500;

test('no value of a path or query parameter, of any route, is a fault of the service, and each refusal says what is wrong', async () => {
  const { url, token, lines, call } = await newWorkspace();
  await call('POST', '/tickets', { body: { title: 'printer' } });
  const all = Object.values<Route>(routes).flatMap((route) => {
    const { method } = route;
    const isRead = method === 'GET';
    const of = addressesOf(route).map((address) => ({ method, address, body: isRead ? undefined : '{}' }));
    const plain = route.path.replaceAll(/\{\w+\}/g, ABSENT);
    const bodies = route.body ? BODIES.map((body) => ({ method, address: plain, body })) : [];
    return [...of, ...bodies];
  });
  const faults: unknown[] = [];
  const unclear = new Map<string, string>();
  const statuses = new Map<number, number>();
  const send = async ({ method, address, body }: (typeof all)[number]) => {
    const answer = await fetch(`${url}${address}`, {
      method,
      headers: { 'x-service-api-token': token, ...(body && { 'content-type': 'application/json' }) },
      body: body ?? null,
    });
    const text = await answer.text();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (answer.status >= 500) faults.push([method, address, body, answer.status, text]);
    if (answer.status < 400) return;
    const { message, issues } = JSON.parse(text) as { message: string; issues?: { message: string }[] };
    for (const sentence of [message, ...(issues ?? []).map((issue) => issue.message)])
      if (sentence.trim() === '' || UNCLEAR.test(sentence)) unclear.set(sentence, `${method} ${address}`);
  };
  const left = drawn(all, ONE_OF).values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const request of left) await send(request);
    }),
  );
  expect(faults).toEqual([]);
  expect([...unclear]).toEqual([]);
  expect(lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  // They reached the routes.
  for (const status of [200, 400, 404]) expect([status, statuses.get(status) ?? 0]).toSatisfy(isMany);
});
