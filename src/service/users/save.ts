import { sql } from 'kysely';

import { ID_PREFIXES, type ParsedBody } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { ServiceTx } from '../handler.ts';
import { conflict } from '../problem.ts';

interface Context {
  newId: NewId;
  now: Date;
  workspaceId: string;
}

type Body = ParsedBody<'createUser'>;
type Account = NonNullable<Body['chatUsers']>[number];

/**
 * Stores a user: updates the one with this e-mail address or one of these chat accounts, or creates one. 409 if they
 * belong to different users. Calls with a common identity are serialized, so twenty at once make one user.
 */
export async function saveUser(tx: ServiceTx, context: Context, body: Body): Promise<string> {
  const { newId, now, workspaceId } = context;
  const accounts = body.chatUsers ?? [];
  await lockIdentities(tx, workspaceId, body.email, accounts);
  const known = await peopleWith(tx, workspaceId, body.email, accounts);
  const [first, second] = known;
  if (second !== undefined)
    throw conflict('The e-mail and the chat accounts belong to different users of this workspace.');
  const columns = {
    first_name: body.firstName.trim(),
    ...(body.lastName !== undefined && { last_name: body.lastName }),
    ...(body.email && { email: body.email }),
    ...(body.image && { image: body.image }),
    ...(typeof body.isBot === 'boolean' && { is_bot: body.isBot }),
    ...(typeof body.isGuestCreated === 'boolean' && { is_guest_created: body.isGuestCreated }),
    updated_at: now,
  };
  const id = first ?? newId(ID_PREFIXES.user);
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
  for (const account of accounts) await saveAccount(tx, context, id, account);
  return id;
}

async function saveAccount(
  tx: ServiceTx,
  context: Context,
  personId: string,
  account: Account,
): Promise<void> {
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
  if (updated) return;
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
}

/** Sorted, so that two calls with several common identities cannot deadlock. */
async function lockIdentities(
  tx: ServiceTx,
  workspaceId: string,
  email: string | null | undefined,
  accounts: readonly Account[],
): Promise<void> {
  const identities = accounts.map((account) => `chat ${account.chatTeamId ?? ''} ${account.chatUserId}`);
  if (email) identities.push(`email ${email.toLowerCase()}`);
  for (const identity of [...new Set(identities)].sort())
    await sql`select pg_advisory_xact_lock(hashtextextended(${`user ${workspaceId} ${identity}`}, 0))`.execute(
      tx,
    );
}

async function peopleWith(
  tx: ServiceTx,
  workspaceId: string,
  email: string | null | undefined,
  accounts: readonly Account[],
): Promise<string[]> {
  const ids = new Set<string>();
  if (email) {
    const rows = await tx
      .selectFrom('person')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where(sql<string>`lower(email)`, '=', sql<string>`lower(${email})`)
      .execute();
    for (const row of rows) ids.add(row.id);
  }
  for (const { chatUserId, chatTeamId } of accounts) {
    const row = await tx
      .selectFrom('chat_user')
      .select('person_id')
      .where('workspace_id', '=', workspaceId)
      .where('chat_user_id', '=', chatUserId)
      .where(sql<string>`coalesce(chat_team_id, '')`, '=', chatTeamId ?? '')
      .executeTakeFirst();
    if (row) ids.add(row.person_id);
  }
  return [...ids];
}
