import { DATABASE_NOW } from '../../src/platform/engine/lanes.ts';
import { wakeAll } from '../../src/platform/engine/operate.ts';
import type { Database } from '../../src/platform/database/open.ts';
import { Engine } from '../../src/platform/engine/index.ts';
import { createLog } from '../../src/platform/log.ts';
import type { Tables } from '../../src/service/schema/tables.ts';
import { type ServiceEngine, SLOTS } from '../../src/service/work.ts';

/** Counts the service's work that is neither done nor given up, of a class or of all. */
export async function undoneWork({ db }: Pick<Database<Tables>, 'db'>, ofClass?: string): Promise<number> {
  let undone = db
    .selectFrom('work')
    .innerJoin('lane', 'lane.key', 'work.lane')
    .select('work.id')
    .where('done_at', 'is', null)
    .where('dead_at', 'is', null);
  if (ofClass !== undefined) undone = undone.where('lane.class', '=', ofClass);
  return (await undone.execute()).length;
}

/** Makes the waiting work of a class due now. Returns how much there is. */
export async function workNow(database: Database<Tables>, ofClass: string): Promise<number> {
  const undone = await undoneWork(database, ofClass);
  await wakeAll({ database, now: DATABASE_NOW, channel: `${database.schema}.work` }, ofClass);
  return undone;
}

/** An engine for writes that plan work; it does none. */
export function planningEngine(database: Database<Tables>): ServiceEngine {
  return new Engine({ database, log: createLog({ level: 'silent', pretty: false }), slots: SLOTS });
}
