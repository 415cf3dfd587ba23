import { sql } from 'kysely';

import { ID_PREFIXES, LIMITS, type ParsedBody } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { Caller, ServiceTx } from '../handler.ts';
import { actorOf, writeAudit } from '../audit/write.ts';
import { isOwnGuest, trustOf } from '../chat-teams/trust.ts';
import { conflict, ServiceProblem, unprocessable } from '../problem.ts';
import { requireRoomForOne } from '../room-for-one.ts';
import { type Known, lockIdentities, peopleWith } from './identities.ts';

interface Context {
  newId: NewId;
  now: Date;
  workspaceId: string;
  /** Absent for the service's own writes. */
  caller?: Caller;
}

type Body = ParsedBody<'createUser'>;
type Account = NonNullable<Body['chatUsers']>[number];

/**
 * Stores a user: updates the one with this e-mail address or one of these chat accounts, or creates one. 409 if they
 * belong to different users. Calls with a common identity are serialized, so twenty at once make one user. A user with
 * an account of a Slack workspace that is not trusted is a guest of their own, whatever the address.
 */
export async function saveUser(tx: ServiceTx, context: Context, given: Body): Promise<string> {
  const { newId, now, workspaceId } = context;
  const accounts = given.chatUsers ?? [];
  const foreign = await untrustedTeam(tx, accounts);
  if (foreign !== undefined && context.caller?.session?.role === 'admin')
    throw unprocessable(
      'chatUsers',
      `The Slack workspace ${foreign} is not trusted; its people are guests of their own. The operator trusts it with \`npx deskbridge workspaces trust ${foreign}\``,
    );
  const body = foreign === undefined ? given : { ...given, email: null, isGuestCreated: true };
  await lockIdentities(tx, workspaceId, body.email, accounts);
  if (foreign !== undefined && !context.caller?.session) await takeAccounts(tx, workspaceId, accounts);
  const known = await peopleWith(tx, workspaceId, body.email, accounts);
  const [first, second] = known;
  if (second !== undefined)
    throw conflict('The e-mail and the chat accounts belong to different users of this workspace.');
  if (first && !mayChange(context.caller, first, body)) return first.id;
  requireMayLink(context.caller, accounts);
  const columns = {
    first_name: body.firstName.trim(),
    ...(body.lastName !== undefined && { last_name: body.lastName }),
    ...(body.email && { email: body.email }),
    ...(body.image && { image: body.image }),
    ...(typeof body.isBot === 'boolean' && { is_bot: body.isBot }),
    ...(typeof body.isGuestCreated === 'boolean' && { is_guest_created: body.isGuestCreated }),
    updated_at: now,
  };
  const id = first?.id ?? newId(ID_PREFIXES.user);
  if (first === undefined)
    await tx
      .insertInto('person')
      .values({ workspace_id: workspaceId, id, created_at: now, ...columns })
      .execute();
  else
    await tx
      .updateTable('person')
      .set(columns)
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .execute();
  for (const account of accounts) {
    const isNew = await saveAccount(tx, context, id, account);
    if (isNew && first && context.caller) await auditAccount(tx, context, context.caller, id, account);
  }
  return id;
}

/**
 * Throws 403 if an agent's session names chat accounts. People sign in with them, so an agent who links one could
 * become another user, or let someone else do so.
 */
function requireMayLink(caller: Caller | undefined, accounts: readonly Account[]): void {
  if (caller?.session && caller.role !== 'admin' && accounts.length > 0)
    throw new ServiceProblem(
      'FORBIDDEN',
      'Only API keys and admins may link chat accounts. Leave chatUsers out.',
    );
}

/** Returns the first Slack workspace of accounts that is known not to be trusted. */
async function untrustedTeam(tx: ServiceTx, accounts: readonly Account[]): Promise<string | undefined> {
  for (const teamId of new Set(accounts.map(({ chatTeamId }) => chatTeamId)))
    if (teamId && (await trustOf(tx, { teamId })) === 'not trusted') return teamId;
  return undefined;
}

/** Takes accounts from users who are more than guests of an untrusted Slack workspace. */
async function takeAccounts(tx: ServiceTx, workspaceId: string, accounts: readonly Account[]): Promise<void> {
  for (const { chatUserId, chatTeamId } of accounts)
    await sql`delete from chat_user a using person p
      where a.workspace_id = ${workspaceId} and a.chat_user_id = ${chatUserId}
        and coalesce(a.chat_team_id, '') = ${chatTeamId ?? ''}
        and p.workspace_id = a.workspace_id and p.id = a.person_id and not ${isOwnGuest}`.execute(tx);
}

/** The person behind such an account can sign in as this user from now on. */
async function auditAccount(
  tx: ServiceTx,
  { newId, now, workspaceId }: Context,
  caller: Caller,
  id: string,
  { chatTeamId }: Account,
): Promise<void> {
  const actor = actorOf(caller);
  const reason = 'A chat account was linked to an existing user.';
  const detail = { teamId: chatTeamId ?? null };
  await writeAudit(
    tx,
    { newId, now },
    { workspaceId, action: 'user.account-linked', actor, subjectId: id, reason, detail },
  );
}

/**
 * Returns whether a caller may change a known user. People sign in by their e-mail address or chat account: an agent
 * who could change those of another user could sign in as that user. So an agent's session changes none, and the key of
 * a program that is not an admin's changes no identity of agents and admins (403).
 */
function mayChange(caller: Caller | undefined, user: Known, body: Body): boolean {
  if (!caller || caller.role === 'admin') return true;
  if (caller.session) return false;
  const isSame =
    (!body.email || body.email.toLowerCase() === user.email?.toLowerCase()) &&
    (body.chatUsers ?? []).length === user.has &&
    (typeof body.isBot !== 'boolean' || body.isBot === user.is_bot);
  if (user.role !== 'requester' && !isSame)
    throw new ServiceProblem(
      'FORBIDDEN',
      'Only admins may change the e-mail address and chat accounts of agents and admins.',
    );
  return true;
}

/** Returns whether the account is new. */
async function saveAccount(
  tx: ServiceTx,
  context: Context,
  personId: string,
  account: Account,
): Promise<boolean> {
  const { newId, now, workspaceId } = context;
  const columns = {
    ...(account.chatAppId && { chat_app_id: account.chatAppId }),
    ...(account.chatImageUrl && { chat_image_url: account.chatImageUrl }),
    ...(account.chatRealName && { chat_real_name: account.chatRealName }),
    ...(account.chatDisplayName && { chat_display_name: account.chatDisplayName }),
    ...(typeof account.isBot === 'boolean' && { is_bot: account.isBot }),
    updated_at: now,
  };
  const updated = await tx
    .updateTable('chat_user')
    .set(columns)
    .where('workspace_id', '=', workspaceId)
    .where('chat_user_id', '=', account.chatUserId)
    .where(sql<string>`coalesce(chat_team_id, '')`, '=', account.chatTeamId ?? '')
    .returning('id')
    .executeTakeFirst();
  if (updated) return false;
  await requireRoomForOne(
    tx,
    { table: 'chat_user', workspaceId, column: 'person_id', id: personId, except: sql`false` },
    {
      most: LIMITS.ofUser.chatAccounts,
      path: 'chatUsers',
      says: 'chat accounts of a user. Save this one as another user',
    },
  );
  await tx
    .insertInto('chat_user')
    .values({
      workspace_id: workspaceId,
      id: newId(ID_PREFIXES.chatUser),
      person_id: personId,
      chat_user_id: account.chatUserId,
      chat_team_id: account.chatTeamId ?? null,
      created_at: now,
      ...columns,
    })
    .execute();
  return true;
}
