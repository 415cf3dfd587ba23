import type { FileShare, ScheduledPost, SharePlan, StoredMessage } from '../workspace/content.ts';
import type { ViewDefinition } from '../views/view.ts';

export type Role = 'primary_owner' | 'owner' | 'admin' | 'member' | 'guest' | 'single_channel_guest';
/**
 * An address was given out; the bytes are here; it waits to be shown; it is shown and its kind is known; it is gone.
 */
export type FileState = 'promised' | 'uploaded' | 'sharing' | 'processed' | 'deleted';
export type ChannelKind = 'channel' | 'group' | 'im' | 'mpim';
export type EnvelopeKind = 'events_api' | 'slash_commands' | 'interactive';

/** A column's declaration, and (only as a type) what is read from it. */
interface Column<Value> {
  sql: string;
  value?: Value;
}
const column = <Value>(sql: string): Column<Value> => ({ sql });

/*
 * The declared type says how `Database` reads and writes a column: `boolean`, `instant` (milliseconds, a Date in the
 * program) and `json` are not SQLite's own.
 */
const key = column<string>('text primary key');
const text = column<string>('text not null');
const textOrNull = column<string | null>('text');
const empty = column<string>(`text not null default ''`);
const unique = column<string>('text not null unique');
/** Times are Unix seconds. */
const integer = column<number>('integer not null');
const zero = column<number>('integer not null default 0');
const boolean = column<boolean>('boolean not null');
const no = column<boolean>('boolean not null default false');
const instant = column<Date>('instant not null');
const instantOrNull = column<Date | null>('instant');
const json = <Value>() => column<Value>('json text not null');
const jsonOrNull = <Value>() => column<Value | null>('json text');
const list = <Value = string>() => column<Value[]>(`json text not null default '[]'`);
const referenceTo = (table: string) => column<string>(`text not null references ${table} on delete cascade`);
const optionalReferenceTo = (table: string) =>
  column<string | null>(`text references ${table} on delete cascade`);

/** Null in `scopes` is everything. */
const installed = { bot_user_id: text, bot_id: text, scopes: jsonOrNull<string[]>(), active: boolean };
/** A workspace, or an organisation. */
const holder = { team_id: optionalReferenceTo('team'), organisation_id: optionalReferenceTo('organisation') };

/** Change SCHEMA_VERSION (database.ts) with this: a file of another version is refused. */
const COLUMNS = {
  organisation: { id: key, name: text, domain: unique },
  /** The first one is the default workspace. */
  team: { id: key, name: text, domain: text, organisation_id: optionalReferenceTo('organisation') },
  /** An app as its maker registered it: `socket_mode` wins over the `request_url`, `verified` by the challenge. */
  app: {
    id: key,
    name: text,
    app_token: unique,
    signing_secret: text,
    client_id: unique,
    client_secret: text,
    redirect_urls: json<string[]>(),
    token_rotation: boolean,
    request_url: textOrNull,
    request_url_verified: no,
    socket_mode: boolean,
  },
  /** An app in a workspace. The row stays when the app is removed: its bot user comes back with it. */
  installation: {
    app_id: referenceTo('app'),
    team_id: referenceTo('team'),
    ...installed,
    by_organisation: no,
  },
  /** The workspaces that the app is let into have an `installation` besides. */
  organisation_installation: {
    app_id: referenceTo('app'),
    organisation_id: referenceTo('organisation'),
    ...installed,
  },
  /** `expires_at` null: never; `ended`: revoked, or of an app that was removed. */
  bot_token: {
    token: key,
    app_id: referenceTo('app'),
    ...holder,
    refresh_token: column<string | null>('text unique'),
    expires_at: instantOrNull,
    ended: no,
    created_at: instant,
  },
  /** A code that the app gets after Allow; it is exchanged for a token once. */
  oauth_code: {
    code: key,
    app_id: referenceTo('app'),
    ...holder,
    user_id: text,
    scopes: json<string[]>(),
    /** As the app named it; null where it did not. */
    redirect_uri: textOrNull,
    expires_at: instant,
    used: no,
  },
  /** Seen in `workspace_id`. The bot user of an organisation's app is the same in all of its workspaces. */
  person: {
    workspace_id: referenceTo('team'),
    id: text,
    name: text,
    first_name: text,
    last_name: text,
    display_name: textOrNull,
    title: empty,
    email: text,
    time_zone: text,
    is_bot: boolean,
    is_workflow_bot: no,
    role: column<Role>(`text not null default 'member'`),
    deleted: no,
    /** The workspace of a person of another organisation. */
    team_id: textOrNull,
    picture: empty,
    /** Set to away, by users.setPresence. */
    is_away: no,
    updated_at: zero,
  },
  /** The bots of other apps, which only post. */
  other_bot: { id: key, team_id: referenceTo('team'), app_id: text, user_id: text, name: text },
  /** `deleted_at` is 0 while the group is in use. */
  user_group: {
    id: key,
    team_id: referenceTo('team'),
    handle: text,
    name: text,
    description: text,
    channels: json<string[]>(),
    users: json<string[]>(),
    created_by: text,
    changed_by: text,
    created_at: integer,
    updated_at: integer,
    deleted_at: integer,
  },
  /** `value` is an address, or `alias:` and another name. */
  emoji: { team_id: referenceTo('team'), name: text, value: text },
  channel: {
    id: key,
    team_id: referenceTo('team'),
    name: text,
    kind: column<ChannelKind>('text not null'),
    is_archived: no,
    creator: text,
    created_at: integer,
    /** Microseconds of the newest timestamp given out: the next one is later. */
    last_us: zero,
    topic: empty,
    topic_by: empty,
    topic_at: zero,
    purpose: empty,
    purpose_by: empty,
    purpose_at: zero,
    previous_names: list(),
    /**
     * The workspaces of other organisations that share it (Slack Connect), and which of them hosts it; null for our
     * own.
     */
    connected_teams: list(),
    host_team_id: textOrNull,
    /** Further workspaces of its organisation that have it too. */
    shared_with: list(),
  },
  /**
   * `last_read`: how far conversations.mark says they have read. `is_open`: a direct conversation that is not closed.
   */
  member: {
    channel_id: referenceTo('channel'),
    user_id: text,
    last_read: column<string>(`text not null default '0000000000.000000'`),
    is_open: column<boolean>('boolean not null default true'),
  },
  /** A ts has a fixed width, so it sorts as text. */
  message: {
    channel_id: referenceTo('channel'),
    ts: text,
    thread_ts: textOrNull,
    broadcast: boolean,
    ephemeral_for: textOrNull,
    author: text,
    content: json<StoredMessage['content']>(),
    auto_blocks: boolean,
    reply_count: zero,
    reply_users: list(),
    latest_reply: textOrNull,
    reactions: list<StoredMessage['reactions'][number]>(),
  },
  pin: { channel_id: text, ts: text, user_id: text, created_at: integer },
  /** `updated_at` is 0 while it is unchanged. */
  bookmark: {
    id: key,
    channel_id: referenceTo('channel'),
    title: text,
    link: text,
    emoji: text,
    user_id: text,
    created_at: integer,
    updated_at: integer,
  },
  scheduled_message: {
    id: key,
    app_id: text,
    channel_id: referenceTo('channel'),
    post_at: integer,
    created_at: integer,
    post: json<ScheduledPost>(),
  },
  file: {
    id: key,
    team_id: referenceTo('team'),
    user_id: text,
    /** The app that uploaded it; null for a person. */
    app_id: textOrNull,
    name: text,
    title: text,
    alt_text: text,
    snippet_type: textOrNull,
    size: integer,
    /** Of an image, in pixels. */
    width: column<number | null>('integer'),
    height: column<number | null>('integer'),
    created_at: integer,
    state: column<FileState>('text not null'),
    upload_secret: unique,
    shares: list<FileShare>(),
    /** How the file is to be shared, until that is done. */
    plan: jsonOrNull<SharePlan>(),
  },
  file_bytes: {
    file_id: column<string>('text primary key references file on delete cascade'),
    bytes: column<Uint8Array>('blob not null'),
  },
  /** The Home that an app published to a person. Modals are not stored: they end with the client that shows them. */
  home_view: {
    app_id: referenceTo('app'),
    user_id: text,
    view_id: unique,
    hash: text,
    /** With the ids that were made up for its blocks and elements. */
    definition: json<ViewDefinition>(),
  },
  /** Envelopes that are not acknowledged. Numbers are never reused: the journal refers to deliveries by them. */
  envelope: {
    seq: column<number>('integer primary key autoincrement'),
    app_id: text,
    kind: column<EnvelopeKind>('text not null'),
    body: json<Record<string, unknown>>(),
    /** Deliveries tried so far. */
    attempt: zero,
    reason: empty,
    due_at: instant,
    created_at: instant,
  },
  /** `source_ts`: the message the interaction came from. */
  response_url: {
    token: key,
    channel_id: referenceTo('channel'),
    user_id: text,
    uses: zero,
    expires_at: instant,
    source_ts: textOrNull,
    thread_ts: textOrNull,
  },
};

/** Keys and indexes of the tables. */
const CONSTRAINTS: Partial<Record<keyof typeof COLUMNS, string>> = {
  installation: 'primary key (app_id, team_id)',
  organisation_installation: 'primary key (app_id, organisation_id)',
  bot_token: 'check ((team_id is null) <> (organisation_id is null))',
  person: 'primary key (workspace_id, id), unique (workspace_id, name)',
  other_bot: 'unique (team_id, name)',
  user_group: 'unique (team_id, handle)',
  emoji: 'primary key (team_id, name)',
  member: 'primary key (channel_id, user_id)',
  message: 'primary key (channel_id, ts)',
  pin: 'primary key (channel_id, ts), foreign key (channel_id, ts) references message on delete cascade',
  home_view: 'primary key (app_id, user_id)',
};
const INDEXES = `
create index channel_of_team on channel (team_id, name);
create index member_of_user on member (user_id);
create index message_thread on message (channel_id, thread_ts, ts) where thread_ts is not null;
create index bookmark_of_channel on bookmark (channel_id, created_at);
create index scheduled_message_of_channel on scheduled_message (channel_id, post_at);
create index file_of_user on file (user_id);
create index response_url_of_channel on response_url (channel_id);`;

type Columns = typeof COLUMNS;
/** The rows of the tables, as `Database` reads them. */
export type Tables = {
  [Table in keyof Columns]: {
    [Name in keyof Columns[Table]]: Columns[Table][Name] extends Column<infer Value> ? Value : never;
  };
};

export const SCHEMA =
  Object.entries(COLUMNS)
    .map(([table, columns]) => {
      const lines = Object.entries<Column<unknown>>(columns).map(([name, { sql }]) => `${name} ${sql}`);
      const more = CONSTRAINTS[table as keyof Columns];
      return `create table ${table} (${[...lines, ...(more === undefined ? [] : [more])].join(', ')});`;
    })
    .join('\n') + INDEXES;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
/** A row as the program works with it: names in camel case, and undefined instead of null. */
export type RecordOf<Row> = {
  [Name in keyof Row & string as CamelCase<Name>]: null extends Row[Name]
    ? Exclude<Row[Name], null> | undefined
    : Row[Name];
};

export function recordOf<Row extends object>(row: Row): RecordOf<Row> {
  const fields = Object.entries(row).map(([name, value]): [string, unknown] => [
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value ?? undefined,
  ]);
  return Object.fromEntries(fields) as RecordOf<Row>;
}
