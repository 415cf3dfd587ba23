import { sql } from 'kysely';

import { visibleAmong } from '../access/ticket-access.ts';
import type { Handlers } from '../handler.ts';
import { iso } from '../instants.ts';
import { isOneOf } from '../lists/filters.ts';
import { found, ServiceProblem } from '../problem.ts';
import { ticketNamed } from '../tickets/find.ts';

/** Records that a signed-in person has read a ticket, and with it its notifications in their inbox. */
export const markReadHandlers: Pick<Handlers, 'markTicketRead'> = {
  async markTicketRead({ caller, params, query, now }, tx) {
    const { workspaceIds, id } = found(await ticketNamed(tx, caller, params.id, query.workspaceId));
    const visible = await visibleAmong(tx, caller, workspaceIds, [id]);
    const ticket = found(
      await tx
        .selectFrom('ticket')
        .select(['workspace_id', 'id', 'stamped_at'])
        .where(isOneOf('workspace_id', workspaceIds))
        .where(isOneOf('id', visible))
        .executeTakeFirst(),
    );
    const { session, personId } = caller;
    if (!session || personId === null)
      throw new ServiceProblem('FORBIDDEN', 'Only signed-in people read tickets. Sign in to use this.');
    // Its own instants may be later than this clock's.
    const seenAt = new Date(Math.max(now.getTime(), ticket.stamped_at.getTime()));
    const own = { workspace_id: ticket.workspace_id, person_id: personId, ticket_id: ticket.id };
    await tx
      .insertInto('ticket_read')
      .values({ ...own, seen_at: seenAt })
      .onConflict((known) =>
        known.columns(['workspace_id', 'person_id', 'ticket_id']).doUpdateSet({
          seen_at: sql`greatest(ticket_read.seen_at, excluded.seen_at)`,
        }),
      )
      .execute();
    await tx
      .updateTable('notification')
      .set({ read_at: now })
      .where((is) => is.and(own))
      .where('read_at', 'is', null)
      .execute();
    return { ticketId: ticket.id, seenAt: iso(seenAt) };
  },
};
