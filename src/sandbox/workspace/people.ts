import type { Role } from '../store/tables.ts';
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
export function addPerson(workspace: Workspace, wanted: NewPerson): Person {
  const { db, directory, ids } = workspace;
  const person = personOf(
    db.insert('person', {
      id: wanted.id ?? ids.slackId('U'),
      workspace_id: directory.team.id,
      ...columnsOf(wanted),
      is_bot: false,
      team_id: wanted.teamId,
      updated_at: seconds(workspace),
    }),
  );
  if (person.teamId === undefined) tellOfPerson(workspace, 'team_join', person);
  workspace.journal.record('person', { person: person.id, change: 'added' });
  return person;
}

/** Changes a person: `user_change` and, at the same moment, `user_profile_changed` (of one's own workspace). */
export function changePerson(workspace: Workspace, person: Person, change: PersonChange): Person {
  const set = { ...columnsOf(change), updated_at: seconds(workspace) };
  workspace.db.update('person', { id: person.id }, set);
  const after = workspace.directory.people.get(person.id) ?? person;
  tellOfPerson(workspace, 'user_change', after);
  tellOfPerson(workspace, 'user_profile_changed', after);
  workspace.journal.record('person', { person: person.id, change: 'changed' });
  return after;
}

function columnsOf(said: PersonChange) {
  const text = (value: string | undefined) => (value === undefined ? undefined : storableText(value));
  return {
    name: text(said.name),
    first_name: text(said.firstName),
    last_name: text(said.lastName),
    display_name: text(said.displayName),
    title: text(said.title),
    email: said.email,
    time_zone: said.timeZone,
    role: said.role,
    deleted: said.deleted,
    picture: text(said.picture),
  };
}

function tellOfPerson(
  workspace: Workspace,
  type: 'team_join' | 'user_change' | 'user_profile_changed',
  person: Person,
): void {
  for (const app of workspace.directory.apps.values())
    workspace.tell(personEvent(workspace, app, type, person), [app]);
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
