import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { systemClock } from '../../../src/platform/clock.ts';
import { createProvider } from '../../../src/service/sign-in/provider.ts';
import { CLIENT, REDIRECT_URIS, startIdentityProvider } from './identity-provider.ts';

const SECRETS = { state: 'state', nonce: 'nonce', codeVerifier: 'v'.repeat(43) };
const [REDIRECT_URI = ''] = REDIRECT_URIS;

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const providerAt = (issuer: string, more: Partial<typeof CLIENT> = {}) =>
  createProvider(
    { id: 'oidc', name: 'single sign-on', isSlack: false, issuer, ...CLIENT, ...more },
    systemClock,
  );

/** A provider that calls itself by the origin and this path. */
const calledBy = (path: string) => {
  const origin = serve((request, response) => {
    const base = `http://${request.headers.host ?? ''}`;
    if (!request.url?.endsWith('/.well-known/openid-configuration'))
      return void response.writeHead(404).end();
    response.setHeader('content-type', 'application/json');
    return void response.end(
      JSON.stringify({
        issuer: `${base}${path}`,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
      }),
    );
  });
  return origin;
};

test.for([
  ['/app', '/app'],
  ['/app', '/app/'],
  ['/app/', '/app'],
  ['/app/', '/app/'],
  ['', '/'],
  ['/', ''],
  ['/realms/a b', '/realms/a%20b/'],
] as const)(
  'an issuer set to %j signs people in at a provider that calls itself %j',
  async ([set, named]) => {
    const origin = await calledBy(named);
    const url = await providerAt(`${origin}${set}`).authorizationUrl(REDIRECT_URI, SECRETS);
    expect(url.pathname).toBe('/authorize');
  },
);

test.for([
  ['/app', '/other'],
  ['/app', '/App'],
  ['/app', '/app//'],
] as const)(
  'an issuer set to %j is not that of a provider that calls itself %j, and both are named',
  async ([set, named]) => {
    const origin = await calledBy(named);
    const provider = providerAt(`${origin}${set}`);
    await expect(provider.authorizationUrl(REDIRECT_URI, SECRETS)).rejects.toThrow();
    const [problem, ...others] = await provider.problems(REDIRECT_URI);
    expect(others).toEqual([]);
    expect(problem?.says).toContain(
      `calls itself ${origin}${named}, and the issuer is set to ${origin}${set}`,
    );
  },
);

test.for<[why: string, listener: RequestListener, says: string]>([
  ['answers 404', (_request, response) => void response.writeHead(404).end(), 'answered 404'],
  ['answers no JSON', (_request, response) => void response.end('hello'), 'OAUTH_RESPONSE_IS_NOT_JSON'],
  ['closes the connection', ({ socket }) => void socket.destroy(), 'UND_ERR_SOCKET'],
  [
    'answers without an end',
    (_request, response) => {
      response.setHeader('content-type', 'application/json');
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
      };
      response.on('drain', more);
      more();
    },
    'cannot be read',
  ],
])('a provider that %s is a problem with the reason', async ([, listener, says]) => {
  const issuer = await serve(listener);
  const [problem] = await providerAt(issuer).problems(REDIRECT_URI);
  expect(problem?.says).toContain(issuer);
  expect(problem?.says).toContain(says);
});

test('what a provider does not take of the settings is named', async () => {
  const saying = (words: string) =>
    expect.objectContaining({ says: expect.stringContaining(words) as string }) as object;
  const idp = await startIdentityProvider();
  expect(await providerAt(idp.issuer).problems(REDIRECT_URI)).toEqual([]);
  expect(await providerAt(idp.issuer).problems('http://127.0.0.1/elsewhere')).toEqual([
    saying('the redirect address http://127.0.0.1/elsewhere'),
  ]);
  expect(await providerAt(idp.issuer, { clientId: 'nobody' }).problems(REDIRECT_URI)).toContainEqual(
    saying('client id nobody'),
  );
  expect(await providerAt(idp.issuer, { clientSecret: 'wrong' }).problems(REDIRECT_URI)).toEqual([
    saying('does not take the client id and secret (invalid_client)'),
  ]);
});
