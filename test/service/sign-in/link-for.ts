import { createIds } from '../../../src/platform/ids.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createSignInLink } from '../../../src/service/index.ts';
import type { SignInWorld } from './world.ts';

/** Creates a sign-in link as the operator does on the command line. */
export function linkFor(
  { clock, databaseUrl }: SignInWorld,
  request: Parameters<typeof createSignInLink>[2],
): ReturnType<typeof createSignInLink> {
  const log = createLog({ level: 'silent', pretty: false });
  const around = { log, clock, newId: createIds(clock), publicUrl: 'http://127.0.0.1' };
  return createSignInLink(databaseUrl, around, request);
}
