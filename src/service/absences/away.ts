import type { NewId } from '../../platform/ids.ts';
import { teamMembers } from '../access/team.ts';
import type { ServiceTx } from '../handler.ts';
import { tellPeople } from '../notifications/store.ts';

/** Returns those of these people who are not away. */
export async function presentOf(
  tx: ServiceTx,
  workspaceId: string,
  people: readonly string[],
  now: Date,
): Promise<string[]> {
  if (people.length === 0) return [];
  const away = await tx
    .selectFrom('absence')
    .select('person_id')
    .where('workspace_id', '=', workspaceId)
    .where('person_id', 'in', people)
    .where('from_at', '<=', now)
    .where('until_at', '>', now)
    .execute();
  return people.filter((person) => !away.some(({ person_id }) => person_id === person));
}

/** Tells a queue's team that all to whom it assigns tickets are away, so that nobody got this one. */
export async function tellUnassigned(
  tx: ServiceTx,
  { workspaceId, queueId, ticketId }: { workspaceId: string; queueId: string; ticketId: string },
  { newId, now }: { newId: NewId; now: Date },
): Promise<void> {
  const team = await teamMembers(tx, workspaceId, queueId);
  await tellPeople(
    tx,
    workspaceId,
    team,
    { kind: 'unassigned', ticketId, sourceId: ticketId },
    { newId, now },
  );
}
