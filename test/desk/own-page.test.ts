import { expect, test } from 'vitest';

import { isOwnPage } from '../../src/desk/own-page.ts';

const host = 'desk.example:8080';

test.each<[string, boolean, string, Record<string, string>]>([
  ['a read by the page itself', true, 'GET', { 'sec-fetch-site': 'same-origin' }],
  ['a write by the page itself', true, 'POST', { 'sec-fetch-site': 'same-origin' }],
  ['another site', false, 'POST', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['another port of this host', false, 'GET', { 'sec-fetch-site': 'same-site' }],
  ['a typed address', false, 'GET', { 'sec-fetch-site': 'none' }],
  ['plain http, a read', true, 'GET', {}],
  ['plain http, a write by the page itself', true, 'POST', { origin: `http://${host}` }],
  ['plain http, a write from another port', false, 'POST', { origin: 'http://desk.example:3000' }],
  ['plain http, a write by a page with a hidden origin', false, 'POST', { origin: 'null' }],
  ['a write without an origin', false, 'DELETE', {}],
])('%s: accepted as the desk’s own page is %s', (_, isTaken, method, headers) => {
  expect(isOwnPage(method, { host, ...headers })).toBe(isTaken);
});
