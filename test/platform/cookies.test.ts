import { expect, test } from 'vitest';

import { readCookie, setCookieHeader } from '../../src/platform/http/index.ts';

const PLAIN = { name: 'us', secure: false };
const SECURE = { name: 'us', secure: true };

test.each([
  [PLAIN, undefined, undefined],
  [PLAIN, '', undefined],
  [PLAIN, 'us=', undefined],
  [PLAIN, 'us=a', 'a'],
  [PLAIN, 'other=b; us=a; more=c', 'a'],
  [PLAIN, 'other=b;us=a', 'a'],
  [PLAIN, 'us=a=b', 'a=b'],
  [PLAIN, 'not-us=a; usual=b; us2=c', undefined],
  [PLAIN, 'other="; us=a', 'a'],
  // Of two, one was planted.
  [PLAIN, 'us=a; us=b', undefined],
  [PLAIN, 'us=b; other=c; us=a', undefined],
  [PLAIN, 'us=; us=a', undefined],
  [PLAIN, 'us=a; us=a', 'a'],
  [PLAIN, '__Host-us=a', undefined],
  [SECURE, 'us=a', undefined],
  [SECURE, '__Host-us=a', 'a'],
  [SECURE, 'us=b; __Host-us=a', 'a'],
  [SECURE, '__Host-us=a; us=b; __Secure-us=c; __host-us=d', 'a'],
  [SECURE, '__Host-us=a; __Host-us=b', undefined],
  [SECURE, '=__Host-us=a', undefined],
])('of %j in %j the value is %j', (cookie, header, value) => {
  expect(readCookie(header, cookie)).toBe(value);
});

test('over https browsers keep the cookie to this host and https', () => {
  expect(setCookieHeader(SECURE, 'a', 60)).toBe(
    '__Host-us=a; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure',
  );
  expect(setCookieHeader(PLAIN, '', 0)).toBe('us=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
});
