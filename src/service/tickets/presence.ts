import { sql } from 'kysely';

import type { TicketPresence } from '../../contract/index.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import { iso } from '../instants.ts';
import { requireIds } from '../references.ts';
import type { TicketKey } from './find.ts';

/** How long a user is shown without another sign of them. */
const PRESENCE_MS = 30_000;

/** Returns the users who are looking at a ticket now, those who came first last. */
export async function presenceOn(
  db: ServiceDb,
  { workspaceId, id }: TicketKey,
  now: Date,
): Promise<TicketPresence> {
  const rows = await db
    .selectFrom('ticket_presence as x')
    .innerJoin('person as p', (join) =>
      join.onRef('p.workspace_id', '=', 'x.workspace_id').onRef('p.id', '=', 'x.person_id'),
    )
    .select(['x.person_id', 'x.state', 'x.expires_at'])
    .select(sql<string>`concat_ws(' ', p.first_name, p.last_name)`.as('name'))
    .where('x.workspace_id', '=', workspaceId)
    .where('x.ticket_id', '=', id)
    .where('x.expires_at', '>', now)
    .where('p.erased_at', 'is', null)
    .orderBy('x.person_id')
    .execute();
  return {
    people: rows.map((row) => ({
      userId: row.person_id,
      name: row.name,
      state: row.state,
      until: iso(row.expires_at),
    })),
  };
}

/** Records what a user does with a ticket, and forgets where they were before: at most a few rows stay per user. */
export async function recordPresence(
  tx: ServiceTx,
  { workspaceId, id }: TicketKey,
  { userId, state }: { userId: string; state: 'viewing' | 'typing' | 'gone' },
  now: Date,
): Promise<void> {
  await requireIds(tx, 'person', workspaceId, [userId], 'userId');
  await tx
    .deleteFrom('ticket_presence')
    .where('workspace_id', '=', workspaceId)
    .where('person_id', '=', userId)
    .where((is) =>
      is.or([is('expires_at', '<=', now), ...(state === 'gone' ? [is('ticket_id', '=', id)] : [])]),
    )
    .execute();
  if (state === 'gone') return;
  const row = { state, expires_at: new Date(now.getTime() + PRESENCE_MS) };
  await tx
    .insertInto('ticket_presence')
    .values({ workspace_id: workspaceId, person_id: userId, ticket_id: id, ...row })
    .onConflict((existing) => existing.columns(['workspace_id', 'person_id', 'ticket_id']).doUpdateSet(row))
    .execute();
}
