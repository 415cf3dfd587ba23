import { sql } from 'kysely';

import type { ParsedBody } from '../../contract/index.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import { isUntrusted } from '../chat-teams/trust.ts';
import { conflict, unprocessable } from '../problem.ts';
import { lockVisible, requireIds } from '../references.ts';
import { endConnections, endSession } from '../sessions/end.ts';
import { activeAdmins } from '../access/active-admins.ts';
import { lockIdentities, peopleWith } from './identities.ts';
import { leaveMade } from './leave-made.ts';

const LAST_ADMIN =
  'This is the last active admin of the workspace. Make another person an admin first, then change this one.';

/**
 * Writes only what the body names to a user, and returns the user's workspace. A change of role or queues counts from
 * the next request of the user's sessions on; deactivating ends them. What a person made who is no longer an active admin
 * ends too, or is handed over.
 */
export async function updateUser(
  tx: ServiceTx,
  { newId, caller, now }: Pick<Tools, 'newId'> & { caller: Caller; now: Date },
  id: string,
  body: ParsedBody<'updateUser'>,
): Promise<string> {
  const workspaceId = await lockVisible(tx, caller, 'person', id);
  const before = await tx
    .selectFrom('person')
    .select(['role', 'deactivated_at', 'erased_at', 'is_bot'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (before.erased_at !== null) throw conflict('This user was erased.');
  if (body.email || (body.role && body.role !== 'requester')) await requireTrusted(tx, workspaceId, id);
  if (body.email) await requireFreeAddress(tx, workspaceId, id, body.email);
  if (body.queueIds) await requireIds(tx, 'queue', workspaceId, body.queueIds, 'queueIds');
  const role = body.role ?? before.role;
  const isDeactivated = body.isDeactivated ?? before.deactivated_at !== null;
  const wasAdmin = before.role === 'admin' && before.deactivated_at === null && !before.is_bot;
  if (wasAdmin && (role !== 'admin' || isDeactivated)) await requireAnotherAdmin(tx, workspaceId, id);
  await tx
    .updateTable('person')
    .set({
      ...(body.firstName && { first_name: body.firstName.trim() }),
      ...(body.lastName !== undefined && { last_name: body.lastName }),
      ...(body.email !== undefined && { email: body.email }),
      ...(body.queueIds !== undefined && { queue_ids: body.queueIds && [...new Set(body.queueIds)] }),
      role,
      deactivated_at: isDeactivated ? (before.deactivated_at ?? now) : null,
      updated_at: now,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
  if (isDeactivated) {
    await endSession(tx, { workspaceId, personId: id });
    await endConnections(tx, { workspaceId, personId: id });
  }
  if (isDeactivated || role !== 'admin')
    await leaveMade(
      tx,
      { newId, caller, now },
      { workspaceId, personId: id, handOverTo: body.handOverTo ?? null },
    );
  return workspaceId;
}

/**
 * Throws 409 if nobody else administers the workspace: without an admin, only the operator could give that role again.
 * Changes of admins are serialized, or two admins could demote each other at the same time.
 */
export async function requireAnotherAdmin(tx: ServiceTx, workspaceId: string, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`admins ${workspaceId}`}, 0))`.execute(tx);
  const another = await activeAdmins(tx, workspaceId).where('id', '<>', id).limit(1).executeTakeFirst();
  if (!another) throw conflict(LAST_ADMIN);
}

/** Throws 422 if a user has an account of a Slack workspace that is not trusted: then they are a guest only. */
async function requireTrusted(tx: ServiceTx, workspaceId: string, id: string): Promise<void> {
  const account = await tx
    .selectFrom('chat_user as c')
    .select('c.chat_team_id')
    .where('c.workspace_id', '=', workspaceId)
    .where('c.person_id', '=', id)
    .where(isUntrusted('c.chat_team_id'))
    .executeTakeFirst();
  if (account)
    throw unprocessable(
      'role',
      `This user is a guest of the Slack workspace ${account.chat_team_id}, which is not trusted, and has neither a role nor an address. The operator trusts it with \`npx deskbridge workspaces trust ${account.chat_team_id}\``,
    );
}

async function requireFreeAddress(
  tx: ServiceTx,
  workspaceId: string,
  id: string,
  email: string,
): Promise<void> {
  await lockIdentities(tx, workspaceId, email, []);
  const known = await peopleWith(tx, workspaceId, email, []);
  if (known.some((person) => person.id !== id))
    throw conflict('Another user of this workspace has this e-mail address.');
}
