import { sql } from 'kysely';

import type { MessageEvent, TicketMessage } from '../../contract/index.ts';
import type { Call, ServiceTx } from '../handler.ts';
import type { NewEvent } from '../outbox.ts';
import { found } from '../problem.ts';
import { nextStamp } from '../tickets/find.ts';
import { withEvent } from './event.ts';
import type { LockedMessage } from './lock.ts';

type Writing = Pick<Call<'deleteTicketMessage'>, 'caller' | 'now' | 'outbox'>;

/** Updates a message at the ticket's next instant, with its event. */
export async function rewrite(
  tx: ServiceTx,
  { caller, now, outbox }: Writing,
  { ticket, message }: LockedMessage,
  action: MessageEvent['action'],
  {
    deleted,
    ...columns
  }: { content?: string; private?: boolean; status?: 'EDITED' | 'DELETED'; deleted?: true },
): Promise<TicketMessage> {
  const stamp = nextStamp(ticket, now);
  const changes = sql.join(
    Object.entries({ ...columns, ...(deleted && { deleted_at: stamp }), updated_at: stamp }).map(
      ([column, value]) => sql`${sql.ref(column)} = ${value}`,
    ),
  );
  const { rows } = await sql<{ message: TicketMessage; event: NewEvent }>`
    with stamped as (
      update ticket set stamped_at = ${stamp} where workspace_id = ${ticket.workspace_id} and id = ${ticket.id}
      returning *
    ), message as (
      update ticket_message set ${changes} where workspace_id = ${message.workspace_id} and id = ${message.id}
      returning *
    ), ${withEvent(action, caller)}
    select message, event from record`.execute(tx);
  const { message: record, event } = found(rows[0]);
  outbox.add(event);
  return record;
}
