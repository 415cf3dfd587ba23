import { sql } from 'kysely';

import { ID_PREFIXES, LIMITS, type ParsedBody } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { Caller, ServiceTx } from '../handler.ts';
import { ServiceProblem } from '../problem.ts';
import { requireIds } from '../references.ts';
import { requireRoomForOne } from '../room-for-one.ts';
import { nextStamp, type StoredTicket, withMerged } from './find.ts';

/**
 * Throws 403 if a signed-in person rates a ticket that they did not ask for: a rating says what its requester thinks of
 * the help, and starts workflows. Keys rate for whom they name.
 */
export async function requireAsked(
  tx: ServiceTx,
  { session, personId }: Caller,
  ticket: StoredTicket,
): Promise<void> {
  if (!session) return;
  const asked = await withMerged(tx, ticket)
    .select('t.id')
    .where('t.requester_id', '=', personId)
    .limit(1)
    .executeTakeFirst();
  if (!asked)
    throw new ServiceProblem(
      'FORBIDDEN',
      'Only the requester of this ticket rates it. Say what you think of the help in a message.',
    );
}

/**
 * Stores a user's rating of a locked ticket: one rating per user; a later one replaces it (docs/api.md, Tickets).
 * Returns whether anything changed.
 */
export async function rateTicket(
  tx: ServiceTx,
  ticket: StoredTicket,
  { score, feedback = null, userId }: ParsedBody<'rateTicket'>,
  context: { newId: NewId; now: Date },
): Promise<boolean> {
  const { workspace_id, id: ticket_id } = ticket;
  const now = nextStamp(ticket, context.now);
  await requireIds(tx, 'person', workspace_id, [userId], 'userId');
  const before = await tx
    .selectFrom('csat')
    .select(['score', 'feedback'])
    .where('workspace_id', '=', workspace_id)
    .where('ticket_id', '=', ticket_id)
    .where('person_id', '=', userId)
    .executeTakeFirst();
  if (before?.score === score && before.feedback === feedback) return false;
  await requireRoomForOne(
    tx,
    {
      table: 'csat',
      workspaceId: workspace_id,
      column: 'ticket_id',
      id: ticket_id,
      except: sql`person_id = ${userId}`,
    },
    {
      most: LIMITS.ofTicket.ratings,
      path: 'userId',
      says: 'ratings of a ticket. Who rated it may rate it again',
    },
  );
  await tx
    .insertInto('csat')
    .values({
      workspace_id,
      id: context.newId(ID_PREFIXES.csat),
      ticket_id,
      person_id: userId,
      score,
      feedback,
      created_at: now,
      updated_at: now,
    })
    .onConflict((rated) =>
      rated.columns(['workspace_id', 'ticket_id', 'person_id']).doUpdateSet({
        score,
        feedback,
        updated_at: now,
      }),
    )
    .execute();
  await tx
    .updateTable('ticket')
    .set({ updated_at: now, updated_by: userId, stamped_at: now })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', ticket_id)
    .execute();
  return true;
}
