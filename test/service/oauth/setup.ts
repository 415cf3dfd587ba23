import { hash, randomBytes } from 'node:crypto';

import { type Running, startTestService } from '../harness.ts';
import { type SignedIn, signIn } from '../signed-in.ts';
import { openTables } from '../world.ts';

export const REDIRECT = 'https://client.example/back';

/** What a program knows of its own request. */
export interface Asked {
  clientId: string;
  verifier: string;
  query: URLSearchParams;
}

/** A service with OAuth, and a browser and a program to use it. */
export async function withOAuth(settings?: Parameters<typeof startTestService>[0]) {
  const running: Running = await startTestService(settings);
  const { db } = openTables(running);
  const root = new URL('/', running.url).href.slice(0, -1);
  /** The issuer that the service names; the tests reach it at another address. */
  const issuer = 'http://127.0.0.1';
  const resource = `${issuer}/mcp`;
  const person = (role: 'requester' | 'agent' | 'admin' = 'agent') =>
    signIn(db, running.workspaceId, { role, name: 'Bo' });
  const register = (body: object = {}) =>
    fetch(`${root}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [REDIRECT], client_name: 'Test <client>', ...body }),
    });
  const ask = async (more: Record<string, string> = {}): Promise<Asked> => {
    const { client_id: clientId } = (await (await register()).json()) as { client_id: string };
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      code_challenge: hash('sha256', verifier, 'base64url'),
      code_challenge_method: 'S256',
      state: 'a state',
      resource,
      ...more,
    });
    return { clientId, verifier, query };
  };
  const open = (query: URLSearchParams, who?: Pick<SignedIn, 'token'>) =>
    fetch(`${root}/oauth/authorize?${query.toString()}`, {
      redirect: 'manual',
      headers: { ...(who && { cookie: `deskbridge_session=${who.token}` }) },
    });
  const decide = (
    query: URLSearchParams,
    who: Pick<SignedIn, 'token'> | undefined,
    { decision = 'allow', site = 'same-origin' }: { decision?: string; site?: string } = {},
  ) =>
    fetch(`${root}/oauth/authorize`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': site, ...(who && { cookie: `deskbridge_session=${who.token}` }) },
      body: new URLSearchParams([...query, ['decision', decision]]),
    });
  /** Where the browser is sent, with the answer in the address. */
  const sentTo = (answer: Response) => new URL(answer.headers.get('location') ?? 'about:blank');
  const token = async (fields: Record<string, string>) => {
    const answer = await fetch(`${root}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  const exchange = ({ clientId, verifier }: Asked, code: string, more: Record<string, string> = {}) =>
    token({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
      ...more,
    });
  const refresh = (clientId: string, refreshToken: string) =>
    token({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken });
  /** All of it: a person connects a program. */
  const connect = async (who: Pick<SignedIn, 'token'>, more: Record<string, string> = {}) => {
    const asked = await ask(more);
    const code = sentTo(await decide(asked.query, who)).searchParams.get('code') ?? '';
    const { body } = await exchange(asked, code);
    return {
      ...asked,
      code,
      accessToken: body['access_token'] ?? '',
      refreshToken: body['refresh_token'] ?? '',
    };
  };
  return {
    ...running,
    db,
    root,
    resource,
    issuer,
    person,
    register,
    ask,
    open,
    decide,
    sentTo,
    exchange,
    refresh,
    connect,
  };
}
