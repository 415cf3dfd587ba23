import type { Connections } from '../delivery/connections.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { type HttpRequests, RequestUrlRefused } from '../delivery/http-requests.ts';
import { runCommand } from '../interactions/command.ts';
import { NoSuchElement, pressElement } from '../interactions/press.ts';
import { runShortcut } from '../interactions/shortcut.ts';
import type { Entry } from '../journal.ts';
import { setTransport } from '../workspace/apps.ts';
import { addMember, openConversation } from '../workspace/conversations.ts';
import { deleteMessage, editMessage, postMessage } from '../workspace/messages.ts';
import { setReaction } from '../workspace/reactions.ts';
import { everything } from '../workspace/read.ts';
import type { Outcome, Workspace } from '../workspace/workspace.ts';
import { writtenByPerson } from '../workspace/write.ts';
import type { CallLog } from './calls.ts';
import type { ClockControl } from './clock.ts';
import type { Trouble } from './faults.ts';
import { ControlError, createFinders } from './find.ts';
import { REQUESTS, type RequestOf } from './requests.ts';
import { shown, type ShownMessage } from './shown.ts';
import { createWaits, type Waits } from './waits.ts';

export interface State {
  team: { id: string; name: string; domain: string };
  channels: { id: string; name: string; kind: string; members: string[]; is_archived: boolean }[];
  users: { id: string; name: string; real_name: string; email: string; is_bot: boolean }[];
  apps: {
    id: string;
    name: string;
    botUserId: string;
    botId: string;
    connections: number;
    socketMode: boolean;
    requestUrl: string | null;
  }[];
  /** What the app's manifest offers people to type and to choose. */
  commands: { command: string; hint: string }[];
  shortcuts: { callbackId: string; name: string; on: 'message' | 'global' }[];
  /** Envelopes without an acknowledgement yet. */
  undelivered: number;
}

/** What people do in the workspace, and what a test wants to see and to break. */
export interface Control extends Waits, Trouble, ClockControl, CallLog {
  message(request: RequestOf<'message'>): Promise<{ message: ShownMessage }>;
  command(request: RequestOf<'command'>): Promise<Outcome>;
  reaction(request: RequestOf<'reaction'>): Promise<void>;
  editMessage(request: RequestOf<'editMessage'>): Promise<{ message: ShownMessage }>;
  deleteMessage(request: RequestOf<'deleteMessage'>): Promise<void>;
  interact(request: RequestOf<'interact'>): Promise<Outcome>;
  shortcut(request: RequestOf<'shortcut'>): Promise<Outcome>;
  join(request: RequestOf<'join'>): Promise<void>;
  /** The direct messages of two people, or of a person and an app. */
  open(request: RequestOf<'open'>): Promise<{ channel: string }>;
  archive(request: RequestOf<'archive'>): Promise<void>;
  /** Changes how the app is reached; refuses a request URL that does not answer the challenge. */
  app(request: RequestOf<'app'>): Promise<void>;
  /** Tells Socket Mode connections to reconnect (or cuts them); how many. */
  disconnect(request: RequestOf<'disconnect'>): number;
  /** Everything in a channel in ts order, threads included; with `as`, that person's ephemeral messages too. */
  messages(channel: string, as?: string): Promise<ShownMessage[]>;
  state(): State;
  /** What happened lately, newest last. */
  log(limit?: number): Entry[];
  /** Does what is due by the clock: for tests that moved it. */
  tick(): void;
  /** Empties the workspace and applies the seed again. */
  reset(): Promise<void>;
}

export interface ControlParts {
  workspace: Workspace;
  connections: Connections;
  dispatcher: Dispatcher;
  http: HttpRequests;
  trouble: Trouble;
  clock: ClockControl;
  callLog: CallLog;
  baseUrl: () => string;
  offers: Pick<State, 'commands' | 'shortcuts'>;
  reset: () => Promise<void>;
}

export function createControl(parts: ControlParts): Control {
  const { workspace, connections, dispatcher } = parts;
  const { directory } = workspace;
  const find = createFinders(workspace);

  const messages = async (name: string, as?: string): Promise<ShownMessage[]> => {
    const channel = await find.channel(name, as);
    const rows = await everything(
      workspace.db,
      channel.id,
      as === undefined ? undefined : find.person(as).id,
    );
    return rows.map(shown);
  };

  return {
    ...createWaits(workspace.journal, messages, () => directory),
    ...parts.trouble,
    ...parts.clock,
    ...parts.callLog,

    async message(request) {
      const { channel: place, user, text, thread_ts, broadcast } = REQUESTS.message.parse(request);
      const person = find.person(user);
      const channel = await find.channel(place, user);
      find.mustBeIn(channel, person);
      const message = await postMessage(workspace, channel, {
        ...writtenByPerson(directory, workspace.ids, person, text),
        author: person.id,
        threadTs: thread_ts,
        broadcast: broadcast ?? false,
      });
      return { message: shown(message) };
    },

    async command(request) {
      const { channel, user, command, text } = REQUESTS.command.parse(request);
      return runCommand(workspace, find.app(), parts.baseUrl(), {
        channel: await find.channel(channel, user),
        person: find.person(user),
        command,
        text,
      });
    },

    async reaction(request) {
      const { channel, user, ts, name, present } = REQUESTS.reaction.parse(request);
      const outcome = await setReaction(workspace, await find.channel(channel, user), {
        ts,
        user: find.person(user).id,
        name,
        present,
      });
      if (outcome !== 'done') throw new ControlError(outcome);
    },

    async editMessage(request) {
      const { channel: place, user, ts, text } = REQUESTS.editMessage.parse(request);
      const channel = await find.channel(place, user);
      const person = find.person(user);
      await find.ownMessage(channel, person, ts);
      const { content } = writtenByPerson(directory, workspace.ids, person, text);
      const message = await editMessage(workspace, channel, ts, (before) => ({
        text: content.text,
        blocks: content.blocks,
        attachments: before.content.attachments,
        metadata: before.content.metadata,
        autoBlocks: true,
        editor: person.id,
      }));
      if (!message) throw new ControlError('message_not_found');
      return { message: shown(message) };
    },

    async deleteMessage(request) {
      const { channel: place, user, ts } = REQUESTS.deleteMessage.parse(request);
      const channel = await find.channel(place, user);
      await find.ownMessage(channel, find.person(user), ts);
      await deleteMessage(workspace, channel, ts);
    },

    async interact(request) {
      const { channel: place, user, messageTs, action } = REQUESTS.interact.parse(request);
      const channel = await find.channel(place, user);
      const message = await find.message(channel, messageTs);
      try {
        return await pressElement(workspace, find.app(), parts.baseUrl(), {
          channel,
          person: find.person(user),
          message,
          action,
        });
      } catch (error) {
        throw error instanceof NoSuchElement ? new ControlError(error.message) : error;
      }
    },

    async shortcut(request) {
      const { user, callbackId, channel: place, messageTs } = REQUESTS.shortcut.parse(request);
      const person = find.person(user);
      if (place === undefined || messageTs === undefined)
        return runShortcut(workspace, find.app(), parts.baseUrl(), { callbackId, person });
      const channel = await find.channel(place, user);
      const message = await find.message(channel, messageTs);
      return runShortcut(workspace, find.app(), parts.baseUrl(), {
        callbackId,
        person,
        on: { channel, message },
      });
    },

    async join(request) {
      const { channel, user } = REQUESTS.join.parse(request);
      await addMember(workspace, await find.channel(channel, user), find.person(user));
    },

    async open(request) {
      const { user, with: other } = REQUESTS.open.parse(request);
      const { channel } = await openConversation(workspace, [find.person(user).id, find.person(other).id]);
      return { channel: channel.id };
    },

    async archive(request) {
      const { channel: place, archived } = REQUESTS.archive.parse(request);
      const channel = await find.channel(place, undefined);
      await workspace.db
        .updateTable('channel')
        .set({ is_archived: archived })
        .where('id', '=', channel.id)
        .execute();
      channel.isArchived = archived;
      workspace.journal.record('channel', { channel: channel.id, change: 'members' });
    },

    async app(request) {
      const { requestUrl, socketMode = requestUrl === null } = REQUESTS.app.parse(request);
      const app = find.app();
      try {
        if (requestUrl !== null) await parts.http.verify(app, requestUrl);
      } catch (error) {
        throw error instanceof RequestUrlRefused ? new ControlError(error.message) : error;
      }
      await setTransport(workspace, app, {
        requestUrl: requestUrl ?? undefined,
        requestUrlVerified: requestUrl !== null,
        socketMode,
      });
      const ids = connections.of(app.id).map(({ id }) => id);
      if (!socketMode) connections.disconnect('link_disabled', ids);
      dispatcher.tick();
    },

    disconnect(request) {
      const { reason, connections: ids } = REQUESTS.disconnect.parse(request);
      return reason === 'cut' ? connections.cut(ids) : connections.disconnect(reason, ids);
    },

    messages,

    state: () => ({
      team: directory.team,
      channels: [...directory.channels.values()].map((channel) => ({
        id: channel.id,
        name: channel.name,
        kind: channel.kind,
        members: [...channel.members],
        is_archived: channel.isArchived,
      })),
      users: [...directory.people.values()].map((person) => ({
        id: person.id,
        name: person.name,
        real_name: [person.firstName, person.lastName].filter(Boolean).join(' '),
        email: person.email,
        is_bot: person.isBot,
      })),
      apps: [...directory.apps.values()].map(({ id, name, botUserId, botId, socketMode, requestUrl }) => ({
        id,
        name,
        botUserId,
        botId,
        connections: connections.of(id).length,
        socketMode,
        requestUrl: requestUrl ?? null,
      })),
      commands: parts.offers.commands,
      shortcuts: parts.offers.shortcuts,
      undelivered: dispatcher.undelivered + parts.trouble.listFaults().held,
    }),

    log: (limit) => workspace.journal.recent(limit),
    tick: () => dispatcher.tick(),
    reset: parts.reset,
  };
}
