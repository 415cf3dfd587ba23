import { expect, test } from 'vitest';

import { Installations } from '../../../src/bridge/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { StartError } from '../../../src/platform/lifecycle.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createSealing } from '../../../src/platform/sealing.ts';
import { installationsDatabase } from './database.ts';

const log = createLog({ level: 'silent', pretty: false });
const [OLD, NEW, OTHER] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
const GRANT = {
  botToken: 'a bot token',
  refresh: { token: 'a refresh token', expiresAt: new Date('2030-01-01T00:00:00Z') },
};

/** Opens the installations with these keys for one piece of work. */
async function withKeys<Result>(
  databaseUrl: string,
  keys: readonly Buffer[],
  work: (installations: Installations) => Promise<Result>,
): Promise<Result> {
  const installations = await Installations.open({
    databaseUrl,
    sealing: createSealing(keys),
    clock: systemClock,
    log,
  });
  try {
    return await work(installations);
  } finally {
    await installations.close();
  }
}

async function installed(): Promise<string> {
  const databaseUrl = await installationsDatabase();
  await withKeys(databaseUrl, [OLD], (installations) =>
    installations.save({
      id: 'T0ACME',
      name: 'Acme',
      isOrganisation: false,
      scopes: [],
      installedBy: 'U0ADA',
      ...GRANT,
    }),
  );
  return databaseUrl;
}

test('a start with a new key before the old one encrypts all tokens again: the old key can be left out afterwards', async () => {
  const databaseUrl = await installed();
  await withKeys(databaseUrl, [NEW, OLD], async () => undefined);
  expect(await withKeys(databaseUrl, [NEW], (installations) => installations.grant('T0ACME'))).toEqual(GRANT);
});

test('a start with another key says so and changes nothing', async () => {
  const databaseUrl = await installed();
  const opened = withKeys(databaseUrl, [OTHER], async () => undefined);
  await expect(opened).rejects.toThrow(StartError);
  await expect(opened).rejects.toThrow(/TOKEN_ENCRYPTION_KEY/);
  expect(await withKeys(databaseUrl, [OLD], (installations) => installations.grant('T0ACME'))).toEqual(GRANT);
});
