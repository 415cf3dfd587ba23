import { z } from 'zod';

import { complaint, wording } from '../blocks/check.ts';
import { LIMITS } from '../limits.ts';
import type { Connections } from '../delivery/connections.ts';
import type { SignIns } from '../oauth/sign-ins.ts';
import type { ChannelKind } from '../store/tables.ts';
import { storable } from '../values.ts';
import type { BotToken, RegisteredApp } from '../workspace/apps.ts';
import { openConversation } from '../workspace/channels.ts';
import type { App, Channel, Organisation } from '../workspace/directory.ts';
import { isStranger } from '../workspace/people.ts';
import type { Schedule } from '../workspace/scheduled.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { missingScopes, type Scopes, SCOPES } from './scopes.ts';

/** The context of a method: the workspace of its token. */
export interface Call {
  workspaces: Workspaces;
  workspace: Workspace;
  schedule: Schedule;
  app: App;
  token: BotToken;
  /** The required scopes. */
  scopes: Scopes;
  /** `http://host:port`, as the caller reached the sandbox. */
  baseUrl: string;
}

/** The context of a method with an app-level token: an app without a workspace. */
export interface AppCall {
  app: RegisteredApp;
  connections: Connections;
  baseUrl: string;
}

/** The context of a method about an organisation's installation. */
export interface OrganisationCall {
  workspaces: Workspaces;
  organisation: Organisation;
  app: App;
  token: BotToken;
  /** The address at which the request reached the sandbox. */
  baseUrl: string;
}

/** The context of a method without a token. */
export interface OpenCall {
  workspaces: Workspaces;
  /** Client id and secret from the header of HTTP Basic authentication. */
  basic: { id: string; secret: string } | undefined;
  /** A user token, for openid.connect.userInfo. */
  token: unknown;
  signIns: SignIns;
  /** `http://host:port`, as the caller reached the sandbox. */
  baseUrl: string;
}

export type Answer = Record<string, unknown>;

/** One Web API method: a row of the table of those that a bot token opens (`Call`), or of another. */
export interface Method<On = Call> {
  name: string;
  scopes: Scopes;
  handle(call: On, args: Record<string, unknown>): Answer | Promise<Answer>;
}

/** A Slack error: `{ok: false, error}`, sent with HTTP 200. */
export class SlackError extends Error {
  override readonly name = 'SlackError';
  readonly code: string;
  readonly details: Answer;

  constructor(code: string, details: Answer = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

type ArgumentsOf<Schema> = Schema extends z.ZodType
  ? z.output<Schema>
  : Schema extends z.ZodRawShape
    ? z.output<z.ZodObject<Schema>>
    : never;

/** Defines a method by its name, its arguments (the fields of an object, or a schema) and its implementation. */
export function method<const Schema extends z.ZodType | z.ZodRawShape, On = Call>(
  name: string,
  schema: Schema,
  run: (call: On, args: ArgumentsOf<Schema>) => Answer | Promise<Answer>,
): Method<On> {
  const parser: z.ZodType = schema instanceof z.ZodType ? schema : z.object(schema);
  return {
    name,
    scopes: SCOPES[name] ?? [],
    handle: (call, raw) => {
      const parsed = parser.safeParse(raw, { error: wording, reportInput: true });
      if (parsed.success) return run(call, parsed.data as ArgumentsOf<Schema>);
      const messages = parsed.error.issues.map((issue) => complaintAbout(raw, issue));
      throw new SlackError('invalid_arguments', { response_metadata: { messages } });
    },
  };
}

/** What Slack says of a wrong argument; of one that was not given, whatever its type, that it is missing. */
function complaintAbout(raw: unknown, { message, path, input, code }: z.core.$ZodIssue): string {
  if (isAbsent(raw, path)) return `[ERROR] missing required field: ${String(path[0])}`;
  if (code === 'invalid_type' && input === undefined)
    return complaint(`missing required field: ${String(path.at(-1))}`, '', path.slice(0, -1).map(String));
  return complaint(message, '', path.map(String));
}

/** Whether an argument, not a part of one, was not given. */
function isAbsent(raw: unknown, [name, ...inside]: readonly PropertyKey[]): boolean {
  if (name === undefined || inside.length > 0) return false;
  const value: unknown = typeof raw === 'object' && raw !== null ? Reflect.get(raw, name) : undefined;
  return value === undefined || value === '';
}

/**
 * The channel an app names, by id or (as Slack allows for posting) `#name`. A private channel it is not in does
 * not exist for it.
 */
export function channelFor(call: Call, name: string): Channel {
  const { app, workspace } = call;
  const { directory } = workspace;
  const channel = directory.channels.get(name) ?? directory.channelByName(name.replace(/^#/, ''));
  if (!channel) throw new SlackError('channel_not_found');
  if (channel.kind !== 'channel' && !channel.members.has(app.botUserId))
    throw new SlackError('channel_not_found');
  mayUse(call, channel.kind);
  return channel;
}

/** Throws if the token lacks the scope for this kind of conversation. */
export function mayUse({ app, scopes }: Pick<Call, 'app' | 'scopes'>, kind: ChannelKind | undefined): void {
  const missing = missingScopes(app.scopes, scopes, kind);
  if (missing) throw new SlackError('missing_scope', missing);
}

/** The same; the app must be a member. */
export function memberChannelFor(call: Call, name: string): Channel {
  const channel = channelFor(call, name);
  if (!channel.members.has(call.app.botUserId)) throw new SlackError('not_in_channel');
  return channel;
}

/**
 * Arguments come as form fields (all text, objects as JSON text) or as JSON; both read the same
 * (docs.slack.dev/apis/web-api, "Basic features").
 */
export const text = z.preprocess(
  (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
  z.string({ error: 'must provide a string' }),
);

export const required = text.refine((value) => value !== '', 'missing required field');

export const flag = z.preprocess(
  (value) => {
    if (value === 'true' || value === '1' || value === 1) return true;
    if (value === 'false' || value === '0' || value === 0 || value === '') return false;
    return value;
  },
  z.boolean({ error: 'must provide a boolean' }),
);

export const whole = z.preprocess(
  (value) => (typeof value === 'string' && value !== '' ? Number(value) : value),
  z.int({ error: 'must provide an integer' }),
);

/** A list of ids: `U1,U2` or an array. */
export const list = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((part) => part.trim())
          .filter(Boolean)
      : value,
  z.array(z.string(), { error: 'must provide an array' }),
);

/** A value that a form sends as JSON text. Other text stays text, which the schema rejects. */
export function json<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    try {
      return storable(JSON.parse(value));
    } catch {
      return value;
    }
  }, schema);
}

export const jsonObject = z.record(z.string(), z.json());

/** Cursors are opaque text; Slack's own are Base64 of `next_ts:…` or `offset:…`-like words. */
export function makeCursor(kind: 'next_ts' | 'offset', value: string): string {
  return Buffer.from(`${kind}:${value}`).toString('base64');
}

export function readCursor(kind: 'next_ts' | 'offset', cursor: string | undefined): string | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const [found, value] = Buffer.from(cursor, 'base64').toString('utf8').split(':', 2);
  if (found !== kind || !value) throw new SlackError('invalid_cursor');
  return value;
}

/** The arguments of a paginated method. */
export const paging = { cursor: text.optional(), limit: whole.optional() };

/** One page of a list held in memory: 100 unless the call says otherwise, and at most `max`. */
export function pageOf<Item>(
  items: readonly Item[],
  { cursor, limit }: { cursor?: string | undefined; limit?: number | undefined },
  max: number = LIMITS.listMax,
  usual = 100,
): { page: Item[]; response_metadata: { next_cursor: string } } {
  const start = Number(readCursor('offset', cursor) ?? 0);
  if (!Number.isInteger(start)) throw new SlackError('invalid_cursor');
  const end = start + Math.min(limit || usual, max);
  return {
    page: items.slice(start, end),
    response_metadata: { next_cursor: end < items.length ? makeCursor('offset', String(end)) : '' },
  };
}

/** The target of a post: a channel of the app, or a person's id for their direct messages with the app. */
export function targetChannel(call: Call, name: string): Channel {
  if (!call.workspace.directory.people.has(name)) return memberChannelFor(call, name);
  return openWith(call, [name], true).channel;
}

/**
 * The direct conversation of the app with these people, or Slack's refusal of it
 * (docs.slack.dev/reference/methods/conversations.open, "Errors").
 */
export function openWith(
  { workspace, app }: Call,
  users: readonly string[],
  mayCreate: boolean,
): { channel: Channel; existed: boolean } {
  const { directory } = workspace;
  for (const id of users) {
    const person = directory.people.get(id);
    if (!person) throw new SlackError('user_not_found');
    if (person.isBot) throw new SlackError('cannot_dm_bot');
    if (person.deleted) throw new SlackError('user_disabled');
    if (isStranger(directory, app, person)) throw new SlackError('invalid_user_combination');
  }
  const members = [app.botUserId, ...users];
  if (!mayCreate && !directory.conversationOf([...new Set(members)]))
    throw new SlackError('channel_not_found');
  return openConversation(workspace, members);
}
