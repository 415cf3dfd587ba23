import { type RawBuilder, sql } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import { isOwnGuest, trustOf } from '../chat-teams/trust.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import type { SignedIn } from './provider.ts';
import { SignInRefused, type SigningPerson } from './refusal.ts';

/** Case folding beyond ASCII makes different addresses equal, such as those with K and the Kelvin sign. */
const ASCII = /^[\x21-\x7e]+$/;

/** The user who signs in, with the account at the provider. */
export interface IdentifiedPerson extends SigningPerson {
  identityId: string;
}

/**
 * Finds the user that a provider's account belongs to: the one who signed in with it before; else the one with its
 * e-mail address, if the provider has verified it; else the one with its Slack account. Records the account, so that
 * it stays the user's when the address changes. In several workspaces, the oldest one counts. An account of a Slack
 * workspace that is not trusted finds nobody but the guest that it is: its owner gives it any address.
 * @throws SignInRefused if there is none who may sign in.
 */
export async function findPerson(
  tx: ServiceTx,
  signedIn: SignedIn,
  { newId, now }: Pick<Tools, 'newId'> & { now: Date },
): Promise<IdentifiedPerson> {
  const { issuer, subject, account } = signedIn;
  const email = (signedIn.emailVerified && signedIn.email) || null;
  const trust = account ? await trustOf(tx, account) : 'trusted';
  const found =
    trust === 'not trusted'
      ? account && (await pick(tx, sql`${hasAccount(account)} and ${isOwnGuest}`))
      : await userOf(tx, signedIn, trust);
  if (!found) throw new SignInRefused(whyUnknown(signedIn), { claims: signedIn.claims });
  const { id: identityId } = await tx
    .insertInto('identity')
    .values({
      workspace_id: found.workspaceId,
      id: newId(ID_PREFIXES.identity),
      issuer,
      subject,
      team_id: account?.teamId ?? null,
      email,
      person_id: found.personId,
      created_at: now,
      last_used_at: now,
    })
    .onConflict((row) =>
      row.columns(['workspace_id', 'issuer', 'subject']).doUpdateSet({
        last_used_at: now,
        person_id: found.personId,
        team_id: account?.teamId ?? null,
        email,
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return { ...found, identityId };
}

async function userOf(
  tx: ServiceTx,
  { issuer, subject, email, emailVerified, account }: SignedIn,
  trust: 'trusted' | 'unlisted',
): Promise<SigningPerson | undefined> {
  const before = await pick(
    tx,
    sql`${USER} in (
      select workspace_id, person_id from identity where issuer = ${issuer} and subject = ${subject})`,
  );
  if (before) return before;
  if (email !== undefined && emailVerified && ASCII.test(email)) {
    const ofOurs = account && trust === 'unlisted' ? isInTeam(account.teamId) : sql``;
    const byAddress = await pick(tx, sql`lower(p.email) = lower(${email}) ${ofOurs}`);
    if (byAddress) return byAddress;
  }
  return account && (await pick(tx, hasAccount(account)));
}

function hasAccount({ userId, teamId }: NonNullable<SignedIn['account']>): RawBuilder<boolean> {
  return sql<boolean>`${USER} in (
    select workspace_id, person_id from chat_user where chat_user_id = ${userId} and chat_team_id = ${teamId})`;
}

/** A missing claim is the provider's fault, not that of somebody who forgot to add a user. */
function whyUnknown({ email, emailVerified, account }: SignedIn): 'no-email' | 'unverified' | 'unknown' {
  if (email === undefined) return account ? 'unknown' : 'no-email';
  return emailVerified ? 'unknown' : 'unverified';
}

/**
 * Anyone may have a Slack workspace and give its members addresses, so an address counts in a Slack workspace that is
 * ours. Only until a bridge or the operator has named one (chat-teams/trust.ts).
 */
function isInTeam(teamId: string): RawBuilder<unknown> {
  const isOfTeam = (table: 'chat_user' | 'chat_app', column: string) => sql`exists (
    select 1 from ${sql.table(table)} c where c.workspace_id = p.workspace_id and ${sql.ref(`c.${column}`)} = ${teamId})`;
  return sql`and (${isOfTeam('chat_user', 'chat_team_id')} or ${isOfTeam('chat_app', 'team_id')})`;
}

/** Returns the user if they may still sign in. @throws SignInRefused */
export async function activePerson(
  tx: ServiceTx,
  { workspaceId, personId }: SigningPerson,
): Promise<SigningPerson> {
  const found = await pick(tx, sql`${USER} = (${workspaceId}, ${personId})`);
  if (!found) throw new SignInRefused('unknown');
  return found;
}

const USER = sql`(p.workspace_id, p.id)`;

/**
 * Returns the first user who matches and may sign in, locked, so that a deactivation at the same time comes before or
 * after the session; undefined if nobody matches. @throws SignInRefused if all who match are deactivated.
 */
async function pick(tx: ServiceTx, condition: RawBuilder<unknown>): Promise<SigningPerson | undefined> {
  const rows = await tx
    .selectFrom('person as p')
    .innerJoin('workspace as w', 'w.id', 'p.workspace_id')
    .select(['p.workspace_id', 'p.id', 'p.deactivated_at'])
    .where('w.deleted_at', 'is', null)
    .where('p.is_bot', '=', false)
    .where('p.erased_at', 'is', null)
    .where(sql<boolean>`${condition}`)
    .orderBy('w.created_at')
    .orderBy('w.id')
    .forShare('p')
    .execute();
  const found = rows.find(({ deactivated_at }) => deactivated_at === null) ?? rows[0];
  const person = found && { workspaceId: found.workspace_id, personId: found.id };
  if (person && found.deactivated_at !== null) throw new SignInRefused('deactivated', { person });
  return person;
}

/** Returns the name that people know a user by. */
export async function personName(tx: ServiceTx, { workspaceId, personId }: SigningPerson): Promise<string> {
  const { first_name, last_name, email } = await tx
    .selectFrom('person')
    .select(['first_name', 'last_name', 'email'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', personId)
    .executeTakeFirstOrThrow();
  const name = [first_name, last_name].filter(Boolean).join(' ');
  if (email === null) return name;
  return name === '' ? email : `${name} (${email})`;
}
