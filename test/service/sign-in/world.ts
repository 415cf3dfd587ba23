import { expect } from 'vitest';

import { TestClock } from '../../harness/clock.ts';
import { type Running, type Settings, startTestService } from '../harness.ts';
import { openTables } from '../world.ts';
import { Browser } from './browser.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from './identity-provider.ts';

export interface SignInWorld extends Running {
  idp: IdentityProvider;
  clock: TestClock;
  tables: ReturnType<typeof openTables>['db'];
  newBrowser(): Browser;
  /** Stores a user, and returns the id. */
  user(email: string | null, account?: { chatUserId: string; chatTeamId: string }): Promise<string>;
  /** The person of a session, as the API knows it; undefined if the session does not work. */
  personOf(token: string | undefined): Promise<string | undefined>;
}

/** A service with a real OpenID provider, named `oidc`, and `slack` if its claims are to be Slack's. */
export async function signInWorld(settings: Settings = {}): Promise<SignInWorld> {
  const idp = await startIdentityProvider();
  const clock = new TestClock();
  const common = { ...CLIENT, issuer: idp.issuer };
  const running = await startTestService({
    clock,
    signIn: [
      { id: 'oidc', name: 'the test', isSlack: false, ...common },
      { id: 'slack', name: 'Slack', isSlack: true, ...common },
    ],
    ...settings,
  });
  const tables = openTables(running).db;
  const origin = new URL(running.url).origin;
  return {
    ...running,
    idp,
    clock,
    tables,
    newBrowser: () => new Browser(origin),
    user: async (email, account) => {
      const { status, body } = await running.call('POST', '/users', {
        body: {
          firstName: 'Mira',
          ...(email !== null && { email }),
          ...(account && { chatUsers: [account] }),
        },
      });
      expect(status).toBe(200);
      return body.id;
    },
    personOf: async (token) => {
      const works =
        (await running.call('GET', '/queues', { token: token ?? 'no token at all' })).status === 200;
      const row = await tables
        .selectFrom('session')
        .select('person_id')
        .where('hash', '=', Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(token ?? ''))))
        .executeTakeFirst();
      expect(row !== undefined).toBe(works);
      return row?.person_id;
    },
  };
}

export const MIRA = { email: 'mira@acme.example', email_verified: true };
