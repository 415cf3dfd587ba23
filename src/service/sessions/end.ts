import type { ServiceTx } from '../handler.ts';
import { hashToken } from '../keys/token.ts';

/** The sessions to end: one by its token or its id, or all of a person. */
export type EndedSessions =
  { token: string } | { workspaceId: string; id: string } | { workspaceId: string; personId: string };

export interface EndedSession {
  workspaceId: string;
  id: string;
  personId: string;
}

/** Disconnects all programs that act as a person: none does so for longer than whoever allowed it may sign in. */
export async function endConnections(
  tx: ServiceTx,
  { workspaceId, personId }: { workspaceId: string; personId: string },
): Promise<void> {
  await tx
    .deleteFrom('oauth_grant')
    .where('workspace_id', '=', workspaceId)
    .where('person_id', '=', personId)
    .execute();
}

/** Ends sessions in every process: their tokens are rejected from the next request on. */
export async function endSession(tx: ServiceTx, ended: EndedSessions): Promise<EndedSession[]> {
  let rows = tx.deleteFrom('session');
  if ('token' in ended) rows = rows.where('hash', '=', hashToken(ended.token));
  else {
    rows = rows.where('workspace_id', '=', ended.workspaceId);
    rows = 'id' in ended ? rows.where('id', '=', ended.id) : rows.where('person_id', '=', ended.personId);
  }
  return await rows.returning(['workspace_id as workspaceId', 'id', 'person_id as personId']).execute();
}
