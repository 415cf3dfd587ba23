import type { FileShare, ScheduledPost, SharePlan, StoredMessage } from '../workspace/content.ts';
import type { ViewDefinition } from '../views/view.ts';

/** The rows of `schema.sql`, as `Database` reads them. */
export interface Tables {
  team: {
    id: string;
    name: string;
    domain: string;
    /** The organisation that the workspace is of; null for most. */
    organisation_id: string | null;
  };
  organisation: { id: string; name: string; domain: string };
  /** An app as an organisation has installed it; the workspaces that it is let into have an `installation` beside. */
  organisation_installation: {
    app_id: string;
    organisation_id: string;
    bot_user_id: string;
    bot_id: string;
    scopes: string[] | null;
    active: boolean;
  };
  app: {
    id: string;
    name: string;
    app_token: string;
    signing_secret: string;
    client_id: string;
    client_secret: string;
    /** Where people may be sent back to after they installed it. */
    redirect_urls: string[];
    /** Its bot tokens expire, and come with a refresh token. */
    token_rotation: boolean;
    /** Where events go by HTTP; null where there is no such address. */
    request_url: string | null;
    /** The address has answered the challenge. */
    request_url_verified: boolean;
    /** Socket Mode is on: it wins over the address. */
    socket_mode: boolean;
  };
  /** An app in a workspace; it stays when the app is removed, for the bot user comes back with it. */
  installation: {
    app_id: string;
    team_id: string;
    bot_user_id: string;
    bot_id: string;
    /** What the app may do there; null for everything. */
    scopes: string[] | null;
    active: boolean;
    /** The workspace's organisation has installed the app, and lets it in. */
    by_organisation: boolean;
  };
  /** Of a workspace, or of an organisation. */
  bot_token: {
    token: string;
    app_id: string;
    team_id: string | null;
    organisation_id: string | null;
    refresh_token: string | null;
    /** Null for one that does not expire. */
    expires_at: Date | null;
    /** Revoked, or of an app that was removed. */
    ended: boolean;
    created_at: Date;
  };
  /** What an app is sent after somebody pressed Allow; it is changed for a token once. */
  oauth_code: {
    code: string;
    app_id: string;
    team_id: string | null;
    organisation_id: string | null;
    user_id: string;
    scopes: string[];
    /** As the app named it; null where it did not. */
    redirect_uri: string | null;
    expires_at: Date;
    used: boolean;
  };
  person: {
    id: string;
    /** The workspace they are seen in. */
    workspace_id: string;
    name: string;
    first_name: string;
    last_name: string;
    email: string;
    time_zone: string;
    is_bot: boolean;
    is_workflow_bot: boolean;
    role: Role;
    /** What they go by; null for their name. */
    display_name: string | null;
    title: string;
    deleted: boolean;
    /** Another organisation's workspace (Slack Connect); null for our own. */
    team_id: string | null;
    picture: string;
    /** By users.setPresence. */
    is_away: boolean;
    /** Unix seconds. */
    updated_at: number;
  };
  user_group: {
    id: string;
    team_id: string;
    handle: string;
    name: string;
    description: string;
    channels: string[];
    users: string[];
    created_by: string;
    changed_by: string;
    /** Unix seconds; `deleted_at` is 0 while the group is in use. */
    created_at: number;
    updated_at: number;
    deleted_at: number;
  };
  /** `value` is an address, or `alias:` and another name. */
  emoji: { team_id: string; name: string; value: string };
  file: {
    id: string;
    team_id: string;
    user_id: string;
    /** The app that uploaded it; null for a person. */
    app_id: string | null;
    name: string;
    title: string;
    alt_text: string;
    snippet_type: string | null;
    /** Bytes. */
    size: number;
    /** Of an image, in pixels. */
    width: number | null;
    height: number | null;
    /** Unix seconds. */
    created_at: number;
    state: FileState;
    upload_secret: string;
    shares: FileShare[];
    /** How it is to be shared, while that has not happened yet. */
    plan: SharePlan | null;
  };
  file_bytes: { file_id: string; bytes: Uint8Array };
  channel: {
    id: string;
    team_id: string;
    name: string;
    kind: ChannelKind;
    is_archived: boolean;
    creator: string;
    /** Unix seconds. */
    created_at: number;
    /** Microseconds of the newest timestamp given out: the next one is later. */
    last_us: number;
    topic: string;
    topic_by: string;
    /** Unix seconds. */
    topic_at: number;
    purpose: string;
    purpose_by: string;
    purpose_at: number;
    previous_names: string[];
    /** The workspaces of other organisations that share it (Slack Connect). */
    connected_teams: string[];
    /** The one of them that hosts it; null for our own. */
    host_team_id: string | null;
    /** Further workspaces of its organisation that have it too. */
    shared_with: string[];
  };
  /** `last_read`: a message's ts; `is_open` of direct conversations. */
  member: { channel_id: string; user_id: string; last_read: string; is_open: boolean };
  /** Times in Unix seconds, `updated_at` 0 while it is as it was made. */
  bookmark: {
    id: string;
    channel_id: string;
    title: string;
    link: string;
    emoji: string;
    user_id: string;
    created_at: number;
    updated_at: number;
  };
  message: StoredMessage;
  /** `created_at` in Unix seconds. */
  pin: { channel_id: string; ts: string; user_id: string; created_at: number };
  scheduled_message: {
    id: string;
    app_id: string;
    channel_id: string;
    /** Unix seconds. */
    post_at: number;
    created_at: number;
    post: ScheduledPost;
  };
  /** The bots of other apps, which only speak. */
  other_bot: { id: string; team_id: string; app_id: string; user_id: string; name: string };
  envelope: {
    seq: number;
    app_id: string;
    kind: EnvelopeKind;
    body: Record<string, unknown>;
    /** Deliveries tried so far. */
    attempt: number;
    reason: string;
    /** When the next delivery is due. */
    due_at: Date;
    created_at: Date;
  };
  home_view: {
    app_id: string;
    user_id: string;
    view_id: string;
    hash: string;
    /** With the ids that were made up for its blocks and elements. */
    definition: ViewDefinition;
  };
  response_url: {
    token: string;
    channel_id: string;
    user_id: string;
    uses: number;
    expires_at: Date;
    /** The message the interaction came from. */
    source_ts: string | null;
    thread_ts: string | null;
  };
}

export type Role = 'primary_owner' | 'owner' | 'admin' | 'member' | 'guest' | 'single_channel_guest';
/** An address was given out; the bytes are here; it waits to be shown; it is shown and its kind is known; it is gone. */
export type FileState = 'promised' | 'uploaded' | 'sharing' | 'processed' | 'deleted';
export type ChannelKind = 'channel' | 'group' | 'im' | 'mpim';
export type EnvelopeKind = 'events_api' | 'slash_commands' | 'interactive';
