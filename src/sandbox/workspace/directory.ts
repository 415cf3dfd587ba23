import type { Database } from '../store/database.ts';
import { type ChannelKind, type RecordOf, recordOf, type Tables } from '../store/tables.ts';

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

/** An app's installation in this workspace; its global data is a `RegisteredApp`. */
export interface App {
  id: string;
  name: string;
  botUserId: string;
  botId: string;
  /** The scopes of the bot token; undefined for all. */
  scopes: ReadonlySet<string> | undefined;
  /** The organisation has installed it, and lets it into this workspace. */
  byOrganisation: boolean;
}

/** `teamId` is the workspace of someone from another organisation (Slack Connect). */
export type Person = RecordOf<Tables['person']>;
export type UserGroup = RecordOf<Tables['user_group']>;

export interface Channel {
  id: string;
  name: string;
  kind: ChannelKind;
  isArchived: boolean;
  creator: string;
  createdAt: number;
  members: Members;
  topic: ChannelNote;
  purpose: ChannelNote;
  previousNames: string[];
  /** The workspaces of other organisations that share it (Slack Connect). */
  connectedTeams: readonly string[];
  /** The one of them that hosts it; undefined where our own does. */
  hostTeamId: string | undefined;
  /** Further workspaces of the organisation that have it too. */
  sharedWith: readonly string[];
}

/** Whether a channel is shared with another organisation (Slack Connect). */
export function isExtShared({ connectedTeams }: Channel): boolean {
  return connectedTeams.length > 0;
}

/** Who is in a channel now. */
export interface Members extends Iterable<string> {
  readonly size: number;
  has(userId: string): boolean;
}

/** A channel's topic or purpose; `at` in Unix seconds, 0 if it was never set. */
export interface ChannelNote {
  value: string;
  by: string;
  at: number;
}

/** Slack's own account: it speaks for deleted messages (`USLACKBOT`, as recorded events show). */
export const SLACKBOT = 'USLACKBOT';

/** Records of one kind in a workspace, read when they are asked for. */
export interface Records<Value> {
  get(id: string): Value | undefined;
  has(id: string): boolean;
  values(): Value[];
}

/** Converts a row to a record. */
type Read<Row, Value> = (row: Row) => Value;

/** The records of one workspace. */
export class Directory {
  readonly apps: Records<App>;
  readonly people: Records<Person>;
  /** The oldest first. */
  readonly channels: Records<Channel>;
  readonly groups: Records<UserGroup>;
  readonly #db: Database;
  #teamId = '';

  constructor(db: Database) {
    this.#db = db;
    const records = <Row, Value>(
      sql: string,
      id: string,
      order: string,
      of: Read<Row, Value>,
    ): Records<Value> => ({
      get: (wanted: string) => {
        const row = db.query<Row>(`${sql} and ${id} = ?`).get(this.#teamId, wanted);
        return row && of(row);
      },
      has: (wanted: string) => db.query(`${sql} and ${id} = ?`).get(this.#teamId, wanted) !== undefined,
      values: () => db.query<Row>(`${sql} order by ${order}`).all(this.#teamId).map(of),
    });
    this.apps = records(
      `select installation.*, app.name from installation join app on app.id = installation.app_id
       where team_id = ? and active`,
      'app_id',
      'app_id',
      appOf,
    );
    this.people = records(
      'select * from person where workspace_id = ?',
      'id',
      'id',
      recordOf<Tables['person']>,
    );
    this.channels = records(
      'select * from channel where team_id = ?',
      'id',
      'created_at, rowid',
      (row: Tables['channel']) => channelOf(db, row),
    );
    this.groups = records(
      'select * from user_group where team_id = ?',
      'id',
      'created_at, id',
      recordOf<Tables['user_group']>,
    );
  }

  /** Adds it to this workspace. */
  of(teamId: string): void {
    this.#teamId = teamId;
  }

  get team(): Team {
    const row = this.#db.query<Tables['team']>('select * from team where id = ?').get(this.#teamId);
    if (!row) return { id: '', name: '', domain: '' };
    const { id, name, domain, organisation_id } = row;
    const organisation =
      organisation_id === null
        ? undefined
        : this.#db.query<Organisation>('select * from organisation where id = ?').get(organisation_id);
    return { id, name, domain, ...(organisation ? { organisation } : {}) };
  }

  /** Custom emoji: an address, or `alias:` and another name. */
  get emoji(): Map<string, string> {
    const rows = this.#db
      .query<Tables['emoji']>('select * from emoji where team_id = ? order by name')
      .all(this.#teamId);
    return new Map(rows.map(({ name, value }) => [name, value]));
  }

  appOfBotUser(userId: string): App | undefined {
    return this.apps.values().find((app) => app.botUserId === userId);
  }

  personByName(name: string): Person | undefined {
    const wanted = name.toLowerCase();
    return this.people.values().find((person) => person.name.toLowerCase() === wanted);
  }

  groupByHandle(handle: string): UserGroup | undefined {
    const wanted = handle.toLowerCase();
    return this.groups.values().find((group) => group.handle.toLowerCase() === wanted);
  }

  channelByName(name: string): Channel | undefined {
    const row = this.#db
      .query<Tables['channel']>(
        `select * from channel where team_id = ? and name = ? and kind in ('channel', 'group') order by created_at, rowid`,
      )
      .get(this.#teamId, name);
    return row && channelOf(this.#db, row);
  }

  /** The direct conversation of exactly these people, where there is one. */
  conversationOf(userIds: readonly string[]): Channel | undefined {
    const row = this.#db
      .query<Tables['channel']>(
        `select * from channel where team_id = ?1 and kind in ('im', 'mpim')
         and id in (select channel_id from member where user_id in (select value from json_each(?2))
                    group by channel_id having count(*) = ?3)
         and (select count(*) from member where channel_id = channel.id) = ?3
       order by created_at, rowid`,
      )
      .get(this.#teamId, userIds, userIds.length);
    return row && channelOf(this.#db, row);
  }

  /** The apps whose bot is a member: the only ones that get events of a channel. */
  appsIn(channel: Channel): App[] {
    return this.apps.values().filter((app) => channel.members.has(app.botUserId));
  }
}

export function appOf(row: Omit<Tables['installation'], 'team_id'> & { name: string }): App {
  return {
    id: row.app_id,
    name: row.name,
    botUserId: row.bot_user_id,
    botId: row.bot_id,
    scopes: row.scopes ? new Set(row.scopes) : undefined,
    byOrganisation: row.by_organisation,
  };
}

function channelOf(db: Database, row: Tables['channel']): Channel {
  const members = () =>
    db.query<Tables['member']>('select * from member where channel_id = ? order by rowid').all(row.id);
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    isArchived: row.is_archived,
    creator: row.creator,
    createdAt: row.created_at,
    members: {
      get size() {
        return members().length;
      },
      has: (userId) =>
        db.query('select 1 from member where channel_id = ? and user_id = ?').get(row.id, userId) !==
        undefined,
      [Symbol.iterator]: () =>
        members()
          .map(({ user_id }) => user_id)
          .values(),
    },
    topic: { value: row.topic, by: row.topic_by, at: row.topic_at },
    purpose: { value: row.purpose, by: row.purpose_by, at: row.purpose_at },
    previousNames: row.previous_names,
    connectedTeams: row.connected_teams,
    hostTeamId: row.host_team_id ?? undefined,
    sharedWith: row.shared_with,
  };
}

/** The workspace a person is of: ours, or another organisation's. */
export function teamOf({ people, team }: Directory, userId: string): string {
  return people.get(userId)?.teamId ?? team.id;
}

export function fullName({ firstName, lastName }: Person): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}
