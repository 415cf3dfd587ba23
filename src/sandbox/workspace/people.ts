import type { Updateable } from 'kysely';

import type { Role, Tables } from '../schema/tables.ts';
import { type App, type Person, personOf } from './directory.ts';
import { userObject } from './people-object.ts';
import { storableText } from './storable.ts';
import { formatTs } from './timestamps.ts';
import type { Workspace } from './workspace.ts';

/** A person to add; what is absent is as for an ordinary member. */
export interface NewPerson {
  id?: string | undefined;
  name: string;
  firstName: string;
  lastName: string;
  displayName?: string | undefined;
  title?: string | undefined;
  email: string;
  timeZone: string;
  role: Role;
  /** The workspace of someone from another organisation (Slack Connect). */
  teamId?: string | undefined;
}

/** What of a person may change; what is absent stays. */
export interface PersonChange {
  name?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  displayName?: string | undefined;
  title?: string | undefined;
  email?: string | undefined;
  timeZone?: string | undefined;
  role?: Role | undefined;
  deleted?: boolean | undefined;
  /** Any word; another word is another picture. */
  picture?: string | undefined;
}

/** Adds a person (`team_join`). People of other workspaces come without it: they join a channel, not the workspace. */
export async function addPerson(workspace: Workspace, wanted: NewPerson): Promise<Person> {
  const { db, directory, ids } = workspace;
  const row = await db
    .insertInto('person')
    .values({
      id: wanted.id ?? ids.slackId('U'),
      workspace_id: directory.team.id,
      name: storableText(wanted.name),
      first_name: storableText(wanted.firstName),
      last_name: storableText(wanted.lastName),
      display_name: wanted.displayName === undefined ? null : storableText(wanted.displayName),
      title: storableText(wanted.title ?? ''),
      email: wanted.email,
      time_zone: wanted.timeZone,
      is_bot: false,
      role: wanted.role,
      team_id: wanted.teamId ?? null,
      updated_at: seconds(workspace),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const person = personOf(row);
  directory.people.set(person.id, person);
  if (person.teamId === undefined) await tellOfPerson(workspace, 'team_join', person);
  workspace.journal.record('person', { person: person.id, change: 'added' });
  return person;
}

/** Changes a person: `user_change` and, at the same moment, `user_profile_changed` (of one's own workspace). */
export async function changePerson(
  workspace: Workspace,
  person: Person,
  change: PersonChange,
): Promise<Person> {
  const set: Updateable<Tables['person']> = { updated_at: seconds(workspace) };
  if (change.name !== undefined) set.name = storableText(change.name);
  if (change.firstName !== undefined) set.first_name = storableText(change.firstName);
  if (change.lastName !== undefined) set.last_name = storableText(change.lastName);
  if (change.displayName !== undefined) set.display_name = storableText(change.displayName);
  if (change.title !== undefined) set.title = storableText(change.title);
  if (change.email !== undefined) set.email = change.email;
  if (change.timeZone !== undefined) set.time_zone = change.timeZone;
  if (change.role !== undefined) set.role = change.role;
  if (change.deleted !== undefined) set.deleted = change.deleted;
  if (change.picture !== undefined) set.picture = storableText(change.picture);
  const row = await workspace.db
    .updateTable('person')
    .set(set)
    .where('id', '=', person.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  // The same object: others hold it.
  Object.assign(person, personOf(row));
  await tellOfPerson(workspace, 'user_change', person);
  await tellOfPerson(workspace, 'user_profile_changed', person);
  workspace.journal.record('person', { person: person.id, change: 'changed' });
  return person;
}

async function tellOfPerson(
  workspace: Workspace,
  type: 'team_join' | 'user_change' | 'user_profile_changed',
  person: Person,
): Promise<void> {
  for (const app of workspace.directory.apps.values())
    await workspace.tell(personEvent(workspace, app, type, person), [app]);
}

/** docs.slack.dev/reference/events/{team_join, user_change, user_profile_changed} */
export function personEvent<Type extends 'team_join' | 'user_change' | 'user_profile_changed'>(
  workspace: Workspace,
  app: App,
  type: Type,
  person: Person,
) {
  return {
    type,
    user: userObject(workspace, app, workspace.baseUrl, person),
    cache_ts: seconds(workspace),
    event_ts: eventTs(workspace),
  };
}

/** The `event_ts` of what happens outside channels. */
export function eventTs({ clock }: Workspace): string {
  return formatTs(clock.now().getTime() * 1000);
}

function seconds({ clock }: Workspace): number {
  return Math.floor(clock.now().getTime() / 1000);
}
