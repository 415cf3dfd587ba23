import { z } from 'zod';

import type { Connections } from '../delivery/connections.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import type { HttpRequests } from '../delivery/http-requests.ts';
import { storableText } from '../values.ts';
import type { StoredMessage } from '../workspace/content.ts';
import { openConversation } from '../workspace/channels.ts';
import type { App, Channel, Person } from '../workspace/directory.ts';
import { messageRow } from '../workspace/message-store.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';

/** The context of an operation: one workspace, and what all share. */
export interface Context {
  workspaces: Workspaces;
  workspace: Workspace;
  find: Finders;
  connections: Connections;
  dispatcher: Dispatcher;
  http: HttpRequests;
  /** `http://host:port`, where the sandbox is reached. */
  baseUrl: () => string;
}

/** An operation of the control API: its input and its action. The same in process and over HTTP. */
export function operation<Schema extends z.ZodType, Result>(
  schema: Schema,
  run: (context: Context, request: z.output<Schema>) => Result,
) {
  return (context: Context) =>
    async (request: z.input<Schema>): Promise<Awaited<Result>> =>
      await run(context, schema.parse(request));
}

/** The same with a synchronous result. */
export function operationNow<Schema extends z.ZodType, Result>(
  schema: Schema,
  run: (context: Context, request: z.output<Schema>) => Result,
) {
  return (context: Context) => (request: z.input<Schema>) => run(context, schema.parse(request));
}

type Operations = Record<string, (context: Context) => unknown>;
/** Operations as they are called. */
export type Bound<Of extends Operations> = { [Name in keyof Of]: ReturnType<Of[Name]> };

export function bind<Of extends Operations>(operations: Of, context: Context): Bound<Of> {
  return Object.fromEntries(
    Object.entries(operations).map(([name, make]) => [name, make(context)]),
  ) as Bound<Of>;
}

export const ts = z.string().regex(/^\d{10}\.\d{6}$/, 'a ts looks like 1700000000.000100');

/** Text that a person typed. Databases reject NUL and lone surrogates; both become U+FFFD. */
export const words = z.string().transform(storableText);
export const nonEmptyText = words.pipe(z.string().min(1));

/** A name or an id. */
export const name = z.string().min(1);

/** A workspace of another organisation, of which the sandbox knows no more (Slack Connect). */
export const foreignTeam = z.string().regex(/^[TE][A-Z0-9]{4,24}$/, 'the id of a workspace, e.g. T0OTHER');

/** `channel`: a name (`it-help`), an id, or `@name` for the direct messages with that person or app. */
export const place = { channel: name, user: name };

/** The named channel and person, who must be in it. */
export function placeOf({ find }: Context, { channel, user }: { channel: string; user: string }) {
  const place = { person: find.person(user), channel: find.channel(channel, user) };
  find.mustBeIn(place.channel, place.person);
  return place;
}

/** Throws the error of a rejected change. */
export function mustBeDone(outcome: string): void {
  if (outcome !== 'done') throw new ControlError(outcome);
}

/** The sandbox cannot do what was asked; the message says why and what is available. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}

export type Finders = ReturnType<typeof createFinders>;

/** Finds the record that a request names; the error lists what exists. */
export function createFinders(workspace: Workspace) {
  const { directory } = workspace;

  const person = (name: string): Person => {
    const found = directory.people.get(name) ?? directory.personByName(name.replace(/^@/, ''));
    if (found) return found;
    const known = directory.people
      .values()
      .map((one) => one.name)
      .join(', ');
    throw new ControlError(`there is no person "${name}" here; there are: ${known}`);
  };

  return {
    person,

    /** A person of this workspace: an app's commands and shortcuts are not shared with other organisations. */
    ownPerson(name: string): Person {
      const found = person(name);
      if (found.teamId === undefined) return found;
      throw new ControlError(
        `"${found.name}" is of ${found.teamId}: commands and shortcuts are for people of the workspace that installed the app`,
      );
    },

    channel(name: string, as: string | undefined): Channel {
      const found = directory.channels.get(name) ?? directory.channelByName(name.replace(/^#/, ''));
      if (found) return found;
      if (name.startsWith('@') && as !== undefined)
        return openConversation(workspace, [person(as).id, person(name).id]).channel;
      const known = directory.channels
        .values()
        .map((one) => one.name || one.id)
        .join(', ');
      throw new ControlError(`there is no channel "${name}" here; there are: ${known}`);
    },

    app(): App {
      const [app] = directory.apps.values();
      if (!app) throw new ControlError('no app is installed in this workspace');
      return app;
    },

    mustBeIn(channel: Channel, { id, name, deleted }: Person): void {
      if (deleted) throw new ControlError(`"${name}" is deactivated`);
      if (channel.isArchived) throw new ControlError(`the channel "${channel.name}" is archived`);
      if (!channel.members.has(id))
        throw new ControlError(`"${name}" is not in the channel "${channel.name}"; join it first`);
    },

    message(channel: Channel, ts: string): StoredMessage {
      const found = messageRow(workspace.db, channel.id, ts);
      if (!found) throw new ControlError('message_not_found');
      return found;
    },

    ownMessage(channel: Channel, { id, name }: Person, ts: string): void {
      const { author } = this.message(channel, ts);
      if (author !== id) throw new ControlError(`"${name}" did not write this message`);
    },
  };
}
