import type { z } from 'zod';

import type { Connections } from '../delivery/connections.ts';
import type { ChannelKind } from '../store/tables.ts';
import type { RegisteredApp } from '../workspace/apps.ts';
import type { App, Channel, Organisation } from '../workspace/directory.ts';
import type { Schedule } from '../workspace/scheduled.ts';
import type { BotToken } from '../workspace/tokens.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { missingScopes, type Scopes, SCOPES } from './scopes.ts';

/** What a method works with: the workspace of its token, and nothing of any other. */
export interface Call {
  workspaces: Workspaces;
  workspace: Workspace;
  schedule: Schedule;
  app: App;
  token: BotToken;
  /** What the method needs. */
  scopes: Scopes;
  /** `http://host:port`, as the caller reached the sandbox. */
  baseUrl: string;
}

/** What a method works with that an app-level token opens: an app, in no workspace. */
export interface AppCall {
  app: RegisteredApp;
  connections: Connections;
  baseUrl: string;
}

/** What a method works with that is about an organisation's installation as such. */
export interface OrganisationCall {
  workspaces: Workspaces;
  organisation: Organisation;
  app: App;
  token: BotToken;
}

/** What a method works with that no token opens. */
export interface OpenCall {
  workspaces: Workspaces;
  /** Client id and secret from the header of HTTP Basic authentication. */
  basic: { id: string; secret: string } | undefined;
}

export type Answer = Record<string, unknown>;

/** One Web API method: a row of the table of those that a bot token opens (`Call`), or of another. */
export interface Method<On = Call> {
  name: string;
  scopes: Scopes;
  handle(call: On, args: Record<string, unknown>): Answer | Promise<Answer>;
}

/** A refusal in Slack's words: `{ok: false, error}`, sent with HTTP 200. */
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

/** Makes a row from a method's name, its arguments' schema and what it does. */
export function method<Schema extends z.ZodType, On = Call>(
  name: string,
  schema: Schema,
  run: (call: On, args: z.output<Schema>) => Answer | Promise<Answer>,
): Method<On> {
  return {
    name,
    scopes: SCOPES[name] ?? [],
    handle: (call, raw) => {
      const parsed = schema.safeParse(raw);
      if (parsed.success) return run(call, parsed.data);
      const messages = parsed.error.issues.map(
        (issue) => `[ERROR] ${issue.message} [json-pointer:/${issue.path.join('/')}]`,
      );
      throw new SlackError('invalid_arguments', { response_metadata: { messages } });
    },
  };
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

/** Refuses a method whose scopes differ by the kind of conversation where the token has not got this kind's. */
export function mayUse({ app, scopes }: Pick<Call, 'app' | 'scopes'>, kind: ChannelKind | undefined): void {
  const missing = missingScopes(app.scopes, scopes, kind);
  if (missing) throw new SlackError('missing_scope', missing);
}

/** The same, where the app must be a member. */
export function memberChannelFor(call: Call, name: string): Channel {
  const channel = channelFor(call, name);
  if (!channel.members.has(call.app.botUserId)) throw new SlackError('not_in_channel');
  return channel;
}
