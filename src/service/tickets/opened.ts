import { sql } from 'kysely';

import { transaction } from '../../platform/database/open.ts';
import { actorOf, writeAudit } from '../audit/write.ts';
import type { Caller, ServiceDb, ServiceTx } from '../handler.ts';
import type { NewId } from '../../platform/ids.ts';
import { storeChanges } from './activity.ts';
import { isMember } from '../access/team.ts';
import { takesPart } from '../access/viewer.ts';

/** Repeated reads within this time count as one opening: an open page reads its ticket regularly. */
const ONCE_MS = 3_600_000;

/** Returns a call in which every access to a ticket is recorded, if an admin makes it. */
export function withOpenings<Of extends { caller: Caller; now: Date }>(call: Of, newId: NewId): Of {
  const { caller, now } = call;
  if (caller.session?.role !== 'admin') return call;
  const noteOpened: Caller['noteOpened'] = (db, ids) => recordOpened(db, { newId, caller, now }, ids);
  return { ...call, caller: { ...caller, noteOpened } };
}

/**
 * Records that an admin opens tickets that only a team reads: in the audit log, and in the ticket's activity, where the
 * team sees it. Not of an admin who is of that team, or takes part in the ticket. Before anything of them is answered:
 * if it cannot be recorded, nothing is.
 */
async function recordOpened(
  db: ServiceDb,
  { newId, caller, now }: { newId: NewId; caller: Caller; now: Date },
  ticketIds: readonly string[],
): Promise<void> {
  const { session, personId } = caller;
  if (session?.role !== 'admin' || personId === null || ticketIds.length === 0) return;
  const opening = { personId, workspaceIds: caller.workspaceIds, ticketIds, now };
  if ((await newlyOpened(db, opening)).length === 0) return;
  const record = async (tx: ServiceTx) => {
    // A page reads a ticket, its messages and its activity at the same moment.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`opened by ${personId}`}, 0))`.execute(tx);
    for (const { workspace_id: workspaceId, id } of await newlyOpened(tx, opening)) {
      await writeAudit(
        tx,
        { newId, now },
        {
          workspaceId,
          action: 'ticket.opened',
          actor: actorOf(caller),
          subjectId: id,
          reason: 'Opened a ticket that only the team of its queue reads.',
        },
      );
      await storeChanges(tx, { tools: { newId }, caller }, { ticket: { workspaceId, id }, at: now }, [
        { kind: 'opened', field: 'opened', from: null, to: null },
      ]);
    }
  };
  // A write records it in its own transaction.
  await (db.isTransaction ? record(db as ServiceTx) : transaction(db, record));
}

/**
 * Returns those of the tickets that a team reads to which the person does not belong, and that they have not opened
 * lately.
 */
async function newlyOpened(
  db: ServiceDb,
  {
    personId,
    workspaceIds,
    ticketIds,
    now,
  }: { personId: string; workspaceIds: readonly string[]; ticketIds: readonly string[]; now: Date },
): Promise<{ workspace_id: string; id: string }[]> {
  const { rows } = await sql<{ workspace_id: string; id: string }>`
    select t.workspace_id, t.id from ticket t
    join queue q on q.workspace_id = t.workspace_id and q.id = t.queue_id and q.visibility = 'team'
    join person member on member.workspace_id = t.workspace_id and member.id = ${personId}
    where t.workspace_id = any(${[...workspaceIds]}::text[]) and t.id = any(${[...ticketIds]}::text[])
      and ${isMember} is not true and ${takesPart(personId)} is not true
      and not exists (select from audit_entry e
        where e.workspace_id = t.workspace_id and e.action = 'ticket.opened' and e.subject_id = t.id
          and e.actor_id = ${personId} and e.created_at > ${new Date(now.getTime() - ONCE_MS)})`.execute(db);
  return rows;
}
