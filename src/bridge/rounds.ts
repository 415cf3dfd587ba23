// Rounds: work that repeats itself, as its end plans the next one (docs/architecture.md, Failures).

import { sql } from 'kysely';

import type { BridgeTx, NewWork, WorkHandler, WorkKind } from './work.ts';

/**
 * Returns what is written as a round or a check is given up: the next round is planned all the same. The next one does
 * what this one has not done, so of those that fail one after the other only the last stays a dead letter.
 * @param nextOf returns the round that follows, at its usual time; undefined for a piece of one, and for a check.
 */
export function repeatAfterGivingUp<Body>(
  kind: WorkKind<Body>,
  nextOf: (body: Body) => NewWork | undefined,
): NonNullable<WorkHandler<Body>['gaveUp']> {
  return (body) => async (tx) => {
    await forgetDeadLetters(tx, kind, body);
    const next = nextOf(body);
    if (next) tx.plan.add(next);
  };
}

async function forgetDeadLetters<Body>(tx: BridgeTx, { name }: WorkKind<Body>, body: Body): Promise<void> {
  // The body of other kinds may have what Postgres cannot read as JSON.
  await sql`
    delete from work where dead_at is not null
      and case when kind = ${name} then body::jsonb = ${JSON.stringify(body)}::jsonb end`.execute(tx);
}
