import pg from 'pg';
import { onTestFinished } from 'vitest';

import { makeDue } from './make-due.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

/** The rounds that come every few seconds and every minute, where none is under way. */
const ROUNDS = `(kind = 'watch-queues' or kind = 'remind' and body ->> 'do' <> 'scan') and not_before > now()
  and lane in (select key from bridge.lane where wake_at > now() for update skip locked)`;

/** Returns `until`, during which the bridge's rounds of reminders and its looks at queues come one after the other, until the end of the test. */
export async function roundsUntil({ environment }: Pick<World, 'environment'>): Promise<typeof until> {
  const database = new pg.Client({ connectionString: environment['DATABASE_URL'] });
  await database.connect();
  onTestFinished(() => database.end());
  return (label, check, options) =>
    until(
      label,
      async () => {
        const found = await check();
        if (!found) await makeDue(database, ROUNDS);
        return found;
      },
      options,
    );
}
