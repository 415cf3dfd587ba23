import { sql } from 'kysely';

import { ID_PREFIXES, type PersonRole } from '../../contract/index.ts';
import { writeAudit } from '../audit/write.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { hashToken } from '../keys/token.ts';
import { activeAdmins } from '../access/active-admins.ts';
import { activePerson } from './find-person.ts';
import { SignInRefused, type SigningPerson } from './refusal.ts';

const LINK_MS = 10 * 60_000;
const CODE_BYTES = 32;

/** There is no link; the message says why and what to do. */
export class SignInLinkError extends Error {
  override readonly name = 'SignInLinkError';
}

export interface SignInLinkRequest {
  email: string;
  /** The role that the user gets; a user who is unknown is created with it. */
  role?: PersonRole | undefined;
  /** Id or slug; default the workspace of a user with this address, else the oldest. */
  workspace?: string | undefined;
}

/**
 * Creates a link for the user with an e-mail address. While the workspace has no admin, the user becomes one, and is
 * created if unknown.
 * @throws SignInLinkError
 */
export async function linkForEmail(
  tx: ServiceTx,
  tools: LinkTools,
  now: Date,
  { email, role, workspace }: SignInLinkRequest,
): Promise<{ url: string; role: PersonRole }> {
  const workspaceId = await workspaceOf(tx, email, workspace);
  // Two first admins at once would both find none.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sign-in link ${workspaceId}`}, 0))`.execute(tx);
  const known = await tx
    .selectFrom('person')
    .select(['id', 'role', 'is_bot', 'deactivated_at'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<string>`lower(email)`, '=', sql<string>`lower(${email})`)
    .executeTakeFirst();
  if (known?.is_bot) throw new SignInLinkError(`${email} is a bot, and bots do not sign in.`);
  if (known?.deactivated_at)
    throw new SignInLinkError(`${email} is deactivated. An admin can reactivate the user.`);
  if (known?.role === 'admin' && role !== undefined && role !== 'admin')
    throw new SignInLinkError(`${email} is an admin. Change the role in the desk's settings.`);
  const wanted = role ?? ((await firstAdmin(tx, workspaceId)) ? known?.role : 'admin');
  if (wanted === undefined)
    throw new SignInLinkError(`No user has the e-mail ${email}. Add \`--role <role>\` to create one.`);
  const personId = known?.id ?? tools.newId(ID_PREFIXES.user);
  if (!known)
    await tx
      .insertInto('person')
      .values({
        workspace_id: workspaceId,
        id: personId,
        first_name: email.split('@')[0] ?? email,
        email,
        role: wanted,
        created_at: now,
        updated_at: now,
      })
      .execute();
  else if (known.role !== wanted)
    await tx
      .updateTable('person')
      .set({ role: wanted, updated_at: now })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', personId)
      .execute();
  if (known?.role !== wanted)
    await writeAudit(
      tx,
      { ...tools, now },
      {
        workspaceId,
        action: 'user.role-changed',
        subjectId: personId,
        reason: `The operator gave the user the role ${wanted}.`,
      },
    );
  return { url: await createLink(tx, tools, now, { workspaceId, personId }), role: wanted };
}

export interface LinkTools extends Pick<Tools, 'newId' | 'randomBytes'> {
  publicUrl: string;
}

/** Creates a link that signs a person in once, within ten minutes. */
export async function createLink(
  tx: ServiceTx,
  { newId, randomBytes, publicUrl }: LinkTools,
  now: Date,
  { workspaceId, personId }: SigningPerson,
): Promise<string> {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  await tx
    .insertInto('sign_in_link')
    .values({
      hash: hashToken(code),
      workspace_id: workspaceId,
      person_id: personId,
      created_at: now,
      expires_at: new Date(now.getTime() + LINK_MS),
    })
    .execute();
  await writeAudit(
    tx,
    { newId, now },
    {
      workspaceId,
      action: 'sign-in-link.created',
      subjectId: personId,
      reason: 'The operator created a sign-in link.',
    },
  );
  return `${publicUrl}/auth/link?code=${code}`;
}

/** Returns the person that a valid link is for, and leaves the link unused. @throws SignInRefused */
export async function readLink(tx: ServiceTx, code: string, now: Date): Promise<SigningPerson> {
  const row = await tx
    .selectFrom('sign_in_link')
    .select(['workspace_id', 'person_id'])
    .where('hash', '=', hashToken(code))
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (!row) throw new SignInRefused('expired');
  return activePerson(tx, { workspaceId: row.workspace_id, personId: row.person_id });
}

/** Uses a link up; returns its person. @throws SignInRefused */
export async function useLink(tx: ServiceTx, code: string, now: Date): Promise<SigningPerson> {
  const row = await tx
    .updateTable('sign_in_link')
    .set({ used_at: now })
    .where('hash', '=', hashToken(code))
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['workspace_id', 'person_id'])
    .executeTakeFirst();
  if (!row) throw new SignInRefused('expired');
  return activePerson(tx, { workspaceId: row.workspace_id, personId: row.person_id });
}

/** Returns the oldest active admin of a workspace. */
export async function firstAdmin(tx: ServiceTx, workspaceId: string): Promise<SigningPerson | undefined> {
  const row = await activeAdmins(tx, workspaceId).orderBy('created_at').orderBy('id').executeTakeFirst();
  return row && { workspaceId, personId: row.id };
}

async function workspaceOf(tx: ServiceTx, email: string, wanted: string | undefined): Promise<string> {
  const workspaces = await tx
    .selectFrom('workspace')
    .select(['id', 'slug'])
    .select(
      sql<boolean>`exists (select 1 from person p where p.workspace_id = workspace.id and lower(p.email) = lower(${email}))`.as(
        'knows',
      ),
    )
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const found =
    wanted === undefined
      ? (workspaces.find(({ knows }) => knows) ?? workspaces[0])
      : workspaces.find(({ id, slug }) => id === wanted || slug === wanted);
  if (found) return found.id;
  throw new SignInLinkError(
    wanted === undefined
      ? 'There is no workspace yet. Run `deskbridge start` once.'
      : `There is no workspace ${wanted}.`,
  );
}
