import type { Bridge } from './bridge.ts';

/** Forgets what was worked and sent longer ago than this; what still waits, and every link, is kept. */
export async function prune(
  { database, clock }: Pick<Bridge, 'database' | 'clock'>,
  days: number,
): Promise<void> {
  const before = new Date(clock.now().getTime() - days * 86_400_000);
  await database.db.deleteFrom('inbox').where('done_at', '<', before).execute();
  await database.db
    .deleteFrom('outbox')
    .where('state', 'in', ['sent', 'dropped'])
    .where('sent_at', '<', before)
    .execute();
  await database.db.deleteFrom('pace').where('next_at', '<', before).execute();
}
