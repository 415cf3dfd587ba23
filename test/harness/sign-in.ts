import { systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { createSignInLink } from '../../src/service/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import type { LocalWorld, World } from './world.ts';

/**
 * A link that signs somebody in at the desk of this world, as `deskbridge people sign-in-link` prints it; default its
 * admin, Mira.
 */
export async function signInLink(world: World | LocalWorld, email?: string): Promise<string> {
  const clock = 'clock' in world ? world.clock : systemClock;
  const { url } = await createSignInLink(
    world.environment['DATABASE_URL'] ?? '',
    {
      log: createLog({ level: 'silent', pretty: false }),
      clock,
      newId: createIds(clock),
      publicUrl: world.urls.root,
    },
    { email: email ?? DEMO.people.mira.email },
  );
  return url;
}

/** The cookie that a browser has after the button of such a link. */
export async function sessionCookie(world: World | LocalWorld, email?: string): Promise<string> {
  const code = new URL(await signInLink(world, email)).searchParams.get('code') ?? '';
  const answer = await fetch(`${world.urls.root}/auth/link`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ code }),
  });
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}
