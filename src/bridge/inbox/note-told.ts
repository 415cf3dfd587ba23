import { z } from 'zod';

import type { Db } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import { noteActs } from '../tickets/acts.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** The parts of an event that say who changed what; other implementations may omit them. */
const Told = z.object({
  actor: z.object({ userId: z.string(), source: z.string().nullish() }),
  changes: z.record(z.string(), z.tuple([z.unknown(), z.unknown()])),
});

/** Records who changed a ticket, as the service's event says: users aren't notified of their own changes (B43). */
export async function noteTold(
  bridge: Pick<Bridge, 'clock'>,
  db: Db<BridgeTables>,
  ticketId: string,
  body: unknown,
): Promise<void> {
  const { data } = Told.safeParse(body);
  if (!data) return;
  const after = Object.fromEntries(Object.entries(data.changes).map(([field, [, value]]) => [field, value]));
  await noteActs(bridge, db, ticketId, after, { user: data.actor.userId, inChat: false });
}
