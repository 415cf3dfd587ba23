import type { Selectable } from 'kysely';

import type { Db } from '../../platform/database/open.ts';
import type { ChannelKind, Role, Tables } from '../schema/tables.ts';

export interface Team {
  id: string;
  name: string;
  domain: string;
  /** Absent where it is of none. */
  organisation?: Organisation;
}

/** Several workspaces of one owner (Enterprise Grid). */
export interface Organisation {
  id: string;
  name: string;
  domain: string;
}

/** An app as it is installed in this workspace; what it is everywhere is a `RegisteredApp`. */
export interface App {
  id: string;
  name: string;
  botUserId: string;
  botId: string;
  /** What the bot token may do; undefined for everything. */
  scopes: ReadonlySet<string> | undefined;
  /** The organisation has installed it, and lets it into this workspace. */
  byOrganisation: boolean;
}

export interface Person {
  id: string;
  name: string;
  firstName: string;
  lastName: string;
  email: string;
  timeZone: string;
  isBot: boolean;
  /** The bot user of a workflow. */
  isWorkflowBot: boolean;
  role: Role;
  /** What they go by; undefined for their name. */
  displayName: string | undefined;
  title: string;
  /** Deactivated. */
  deleted: boolean;
  /** The workspace of someone from another organisation (Slack Connect); undefined for our own. */
  teamId: string | undefined;
  /** Which of their pictures is shown: any word, empty for the one Slack gives everybody. */
  picture: string;
  /** Unix seconds. */
  updatedAt: number;
}

export interface UserGroup {
  id: string;
  handle: string;
  name: string;
  description: string;
  channels: string[];
  users: string[];
  createdBy: string;
  changedBy: string;
  /** Unix seconds; `deletedAt` is 0 while the group is in use. */
  createdAt: number;
  updatedAt: number;
  deletedAt: number;
}

export interface Channel {
  id: string;
  name: string;
  kind: ChannelKind;
  isArchived: boolean;
  creator: string;
  createdAt: number;
  members: Set<string>;
  topic: ChannelNote;
  purpose: ChannelNote;
  previousNames: string[];
  /** Shared with another organisation (Slack Connect). */
  isExtShared: boolean;
  /** Further workspaces of the organisation that have it too. */
  sharedWith: readonly string[];
}

/** A channel's topic or purpose; `at` in Unix seconds, 0 where nobody set it. */
export interface ChannelNote {
  value: string;
  by: string;
  at: number;
}

/** What nobody has set yet. */
export const NO_NOTE: ChannelNote = { value: '', by: '', at: 0 };

/** Slack's own account: it speaks for deleted messages (`USLACKBOT`, as recorded events show). */
export const SLACKBOT = 'USLACKBOT';

/**
 * Who and what there is in one workspace, held in memory: every message asks for it, it is small, and this process is
 * the only writer of its schema. Changed only by `workspace/` after the database has accepted the change.
 */
export class Directory {
  team: Team = { id: '', name: '', domain: '' };
  readonly apps = new Map<string, App>();
  readonly people = new Map<string, Person>();
  readonly channels = new Map<string, Channel>();
  readonly groups = new Map<string, UserGroup>();
  /** Custom emoji: an address, or `alias:` and another name. */
  readonly emoji = new Map<string, string>();

  async load(db: Db<Tables>, teamId: string): Promise<void> {
    const [team, apps, people, channels, members, groups, emoji] = await Promise.all([
      db
        .selectFrom('team')
        .leftJoin('organisation', 'organisation.id', 'team.organisation_id')
        .select(['team.id', 'team.name', 'team.domain', 'team.organisation_id'])
        .select(['organisation.name as organisation_name', 'organisation.domain as organisation_domain'])
        .where('team.id', '=', teamId)
        .executeTakeFirstOrThrow(),
      db
        .selectFrom('installation')
        .innerJoin('app', 'app.id', 'installation.app_id')
        .selectAll('installation')
        .select('app.name')
        .where('team_id', '=', teamId)
        .where('active', '=', true)
        .execute(),
      db.selectFrom('person').selectAll().where('workspace_id', '=', teamId).orderBy('id').execute(),
      db
        .selectFrom('channel')
        .selectAll()
        .where('team_id', '=', teamId)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
      db.selectFrom('member').selectAll().execute(),
      db
        .selectFrom('user_group')
        .selectAll()
        .where('team_id', '=', teamId)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
      db.selectFrom('emoji').selectAll().where('team_id', '=', teamId).orderBy('name').execute(),
    ]);
    this.team = { id: team.id, name: team.name, domain: team.domain };
    const { organisation_id: id, organisation_name: name, organisation_domain: domain } = team;
    if (id !== null && name !== null && domain !== null) this.team.organisation = { id, name, domain };
    this.apps.clear();
    for (const row of apps) this.apps.set(row.app_id, appOf(row));
    this.people.clear();
    for (const row of people) this.people.set(row.id, personOf(row));
    this.groups.clear();
    for (const row of groups) this.groups.set(row.id, groupOf(row));
    this.emoji.clear();
    for (const { name, value } of emoji) this.emoji.set(name, value);
    this.channels.clear();
    for (const row of channels)
      this.channels.set(row.id, {
        id: row.id,
        name: row.name,
        kind: row.kind,
        isArchived: row.is_archived,
        creator: row.creator,
        createdAt: row.created_at,
        members: new Set(),
        topic: { value: row.topic, by: row.topic_by, at: row.topic_at },
        purpose: { value: row.purpose, by: row.purpose_by, at: row.purpose_at },
        previousNames: row.previous_names,
        isExtShared: row.is_ext_shared,
        sharedWith: row.shared_with,
      });
    for (const { channel_id, user_id } of members) this.channels.get(channel_id)?.members.add(user_id);
  }

  appOfBotUser(userId: string): App | undefined {
    return [...this.apps.values()].find((app) => app.botUserId === userId);
  }

  personByName(name: string): Person | undefined {
    const wanted = name.toLowerCase();
    return [...this.people.values()].find((person) => person.name.toLowerCase() === wanted);
  }

  groupByHandle(handle: string): UserGroup | undefined {
    const wanted = handle.toLowerCase();
    return [...this.groups.values()].find((group) => group.handle.toLowerCase() === wanted);
  }

  channelByName(name: string): Channel | undefined {
    return [...this.channels.values()].find(
      (channel) => channel.name === name && (channel.kind === 'channel' || channel.kind === 'group'),
    );
  }

  /** The direct conversation of exactly these people, where there is one. */
  conversationOf(userIds: readonly string[]): Channel | undefined {
    return [...this.channels.values()].find(
      (channel) =>
        (channel.kind === 'im' || channel.kind === 'mpim') &&
        channel.members.size === userIds.length &&
        userIds.every((userId) => channel.members.has(userId)),
    );
  }

  /** The apps whose bot is a member: the only ones that hear of what happens in a channel. */
  appsIn(channel: Channel): App[] {
    return [...this.apps.values()].filter((app) => channel.members.has(app.botUserId));
  }
}

export function appOf(row: Selectable<Tables['installation']> & { name: string }): App {
  return {
    id: row.app_id,
    name: row.name,
    botUserId: row.bot_user_id,
    botId: row.bot_id,
    scopes: row.scopes ? new Set(row.scopes) : undefined,
    byOrganisation: row.by_organisation,
  };
}

export function personOf(row: Selectable<Tables['person']>): Person {
  return {
    id: row.id,
    name: row.name,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    timeZone: row.time_zone,
    isBot: row.is_bot,
    isWorkflowBot: row.is_workflow_bot,
    role: row.role,
    displayName: row.display_name ?? undefined,
    title: row.title,
    deleted: row.deleted,
    teamId: row.team_id ?? undefined,
    picture: row.picture,
    updatedAt: row.updated_at,
  };
}

export function groupOf(row: Tables['user_group']): UserGroup {
  return {
    id: row.id,
    handle: row.handle,
    name: row.name,
    description: row.description,
    channels: row.channels,
    users: row.users,
    createdBy: row.created_by,
    changedBy: row.changed_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  };
}

export function fullName({ firstName, lastName }: Person): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}
