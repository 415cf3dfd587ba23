// Claiming lanes, each with its first piece begun.

import { type Database, transaction, type Tx } from '../database/open.ts';
import type { Claimed, Ground } from './ground.ts';
import { type Claim, claimDueLanes, claimLockedLanes, restLane } from './lanes.ts';
import { beginFirst } from './pieces.ts';
import type { EngineTables } from './tables.ts';

type Lease<Tables extends EngineTables> = Pick<Ground<Tables>, 'now' | 'process' | 'leaseMs'>;

/** Claims up to `limit` lanes of a class that are due, in a transaction of its own. */
export function claimDue<Tables extends EngineTables>(
  database: Database<Tables>,
  lease: Lease<Tables>,
  due: {
    class: string;
    limit: number;
    /** The lanes that this process works, or is about to. */
    held: readonly string[];
  },
): Promise<Claimed[]> {
  return transaction(database.db, async (tx) => beginClaimed(tx, await claimDueLanes(tx, lease, due), lease));
}

/** Claims lanes that a transaction has locked and made due: this process works them once that is committed. */
export async function claimLocked<Tables extends EngineTables>(
  tx: Tx<Tables>,
  lease: Lease<Tables>,
  lanes: readonly string[],
): Promise<Claimed[]> {
  return beginClaimed(tx, await claimLockedLanes(tx, lease, lanes), lease);
}

/** Begins the first piece of each lane. One whose first piece is not due after all comes to rest again. */
async function beginClaimed<Tables extends EngineTables>(
  tx: Tx<Tables>,
  claims: readonly Claim[],
  { now }: Lease<Tables>,
): Promise<Claimed[]> {
  if (claims.length === 0) return [];
  const lanes = claims.map(({ lane }) => lane);
  const begun = new Map((await beginFirst(tx, lanes, { now })).map((work) => [work.lane, work]));
  const claimed: Claimed[] = [];
  for (const claim of claims) {
    const first = begun.get(claim.lane);
    if (first) claimed.push({ claim, first });
    else await restLane(tx, claim.lane, { now, behind: false });
  }
  return claimed;
}
