import type { Connections } from '../delivery/connections.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { type HttpRequests, RequestUrlRefused } from '../delivery/http-requests.ts';
import { runCommand, runShortcut } from '../interactions/press.ts';
import type { Entry } from '../journal.ts';
import { type RegisteredApp, setTransport } from '../workspace/apps.ts';
import { everything } from '../workspace/message-store.ts';
import { avatarHash, emojiAddress } from '../workspace/people.ts';
import type { Role } from '../store/tables.ts';
import type { Team } from '../workspace/directory.ts';
import type { Outcome, Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import type { CallLog } from './calls.ts';
import { type ChannelControl, createChannelControl } from './channels.ts';
import type { ClockControl } from './clock.ts';
import type { Trouble } from './faults.ts';
import { createFileControl, type FileControl } from './files.ts';
import { ControlError, createFinders } from './find.ts';
import { createMessageControl, type MessageControl } from './messages.ts';
import { createPeopleControl, type PeopleControl } from './people.ts';
import { REQUESTS, type RequestOf } from './requests.ts';
import { shown, type ShownMessage } from './shown.ts';
import { createViewControl, type ViewControl } from './views.ts';
import { createWaits, type Waits } from './waits.ts';
import { createWorkspaceControl, type WorkspaceControl } from './workspaces.ts';

export interface State {
  team: Team;
  /** Every workspace there is, the default one first. */
  workspaces: Team[];
  channels: {
    id: string;
    name: string;
    kind: string;
    members: string[];
    is_archived: boolean;
    /** The workspaces of other organisations that share it (Slack Connect). */
    connected_teams: readonly string[];
    topic: string;
    purpose: string;
  }[];
  users: {
    id: string;
    name: string;
    real_name: string;
    email: string;
    is_bot: boolean;
    display_name: string;
    title: string;
    role: Role;
    deleted: boolean;
    /** Another organisation's workspace (Slack Connect). */
    team_id?: string;
    time_zone: string;
    picture: string;
  }[];
  groups: { id: string; handle: string; name: string; users: string[]; enabled: boolean }[];
  /** Custom emoji: an address, or `alias:` and another name. */
  emoji: Record<string, string>;
  apps: {
    id: string;
    name: string;
    botUserId: string;
    botId: string;
    connections: number;
    socketMode: boolean;
    requestUrl: string | null;
    clientId: string;
    redirectUrls: string[];
  }[];
  /** What the app's manifest offers people to type and to choose. */
  commands: { command: string; hint: string }[];
  shortcuts: { callbackId: string; name: string; on: 'message' | 'global' }[];
  /** The modals that are open, whoever has them, by the id of their first view. */
  modals: string[];
  /** Envelopes without an acknowledgement yet. */
  undelivered: number;
}

/** What people do in the workspace, and what a test wants to see and to break. */
export interface Control
  extends
    Waits,
    Trouble,
    ClockControl,
    CallLog,
    MessageControl,
    ChannelControl,
    PeopleControl,
    FileControl,
    ViewControl,
    WorkspaceControl {
  /** The same in another workspace, by its id, its domain or its name. */
  team(name: string): Control;
  command(request: RequestOf<'command'>): Promise<Outcome>;
  shortcut(request: RequestOf<'shortcut'>): Promise<Outcome>;
  /** Changes how the app is reached; refuses a request URL that does not answer the challenge. */
  app(request: RequestOf<'app'>): Promise<void>;
  /** Tells Socket Mode connections to reconnect (or cuts them); how many. */
  disconnect(request: RequestOf<'disconnect'>): number;
  /**
   * Everything in a channel in ts order, threads included; with `as`, that person's ephemeral messages too; with the
   * `thread` of a message's ts, only that one and its replies.
   */
  messages(channel: string, as?: string, thread?: string): Promise<ShownMessage[]>;
  state(): State;
  /** What happened lately, newest last. */
  log(limit?: number): Entry[];
  /** Does what is due by the clock: for tests that moved it. */
  tick(): void;
  /** Empties the workspace and applies the seed again. */
  reset(): Promise<void>;
}

export interface ControlParts {
  workspaces: Workspaces;
  workspace: Workspace;
  /** The control of another workspace. */
  of: (workspace: Workspace) => Control;
  connections: Connections;
  dispatcher: Dispatcher;
  http: HttpRequests;
  trouble: Trouble;
  clock: ClockControl;
  callLog: CallLog;
  baseUrl: () => string;
  offers: Pick<State, 'commands' | 'shortcuts'>;
  reset: () => void;
}

export function createControl(parts: ControlParts): Control {
  const { workspaces, workspace, connections, dispatcher } = parts;
  const { directory } = workspace;
  const find = createFinders(workspace);

  const registered = ({ id }: { id: string }): RegisteredApp => {
    const app = workspaces.apps.get(id);
    if (!app) throw new ControlError(`no app "${id}" is registered`);
    return app;
  };

  const messages = (name: string, as?: string, thread?: string): ShownMessage[] => {
    const channel = find.channel(name, as);
    const person = as === undefined ? undefined : find.person(as).id;
    return everything(workspace.db, channel.id, { person, thread }).map(shown);
  };

  return {
    ...createWaits(workspace.journal, messages, () => directory),
    ...parts.trouble,
    ...parts.clock,
    ...parts.callLog,
    ...createMessageControl(workspace, find),
    ...createChannelControl(workspace, find),
    ...createPeopleControl(workspace, find),
    ...createFileControl(workspace, find),
    ...createViewControl(workspace, find, parts.baseUrl),
    ...createWorkspaceControl(workspaces, workspace, find),

    team(name) {
      const found = workspaces.find(name);
      if (found) return parts.of(found);
      const known = workspaces.all.map((one) => one.directory.team.domain).join(', ');
      throw new ControlError(`there is no workspace "${name}" here; there are: ${known}`);
    },

    async command(request) {
      const { channel, user, command, text } = REQUESTS.command.parse(request);
      return runCommand(workspace, find.app(), parts.baseUrl(), {
        channel: find.channel(channel, user),
        person: find.ownPerson(user),
        command,
        text,
      });
    },

    async shortcut(request) {
      const { user, callbackId, channel: place, messageTs } = REQUESTS.shortcut.parse(request);
      const person = find.ownPerson(user);
      if (place === undefined || messageTs === undefined)
        return runShortcut(workspace, find.app(), parts.baseUrl(), { callbackId, person });
      const channel = find.channel(place, user);
      const message = find.message(channel, messageTs);
      return runShortcut(workspace, find.app(), parts.baseUrl(), {
        callbackId,
        person,
        on: { channel, message },
      });
    },

    async app(request) {
      const {
        requestUrl,
        socketMode = requestUrl === null,
        redirectUrls,
        eventsPerHour,
      } = REQUESTS.app.parse(request);
      const [app] = workspaces.apps.values();
      if (!app) throw new ControlError('no app is registered');
      if (redirectUrls) workspace.db.update('app', { id: app.id }, { redirect_urls: redirectUrls });
      if (eventsPerHour !== undefined) dispatcher.allowEvents(eventsPerHour);
      if (requestUrl === undefined) return;
      try {
        if (requestUrl !== null) await parts.http.verify(app, requestUrl);
      } catch (error) {
        throw error instanceof RequestUrlRefused ? new ControlError(error.message) : error;
      }
      setTransport(workspace.db, app, {
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

    messages: async (name, as, thread) => messages(name, as, thread),

    state: () => ({
      team: directory.team,
      workspaces: workspaces.all.map((one) => one.directory.team),
      channels: directory.channels.values().map((channel) => ({
        id: channel.id,
        name: channel.name,
        kind: channel.kind,
        members: [...channel.members],
        is_archived: channel.isArchived,
        connected_teams: channel.connectedTeams,
        topic: channel.topic.value,
        purpose: channel.purpose.value,
      })),
      users: directory.people.values().map((person) => ({
        id: person.id,
        name: person.name,
        real_name: [person.firstName, person.lastName].filter(Boolean).join(' '),
        email: person.email,
        is_bot: person.isBot,
        display_name: person.displayName ?? '',
        title: person.title,
        role: person.role,
        deleted: person.deleted,
        ...(person.teamId === undefined ? {} : { team_id: person.teamId }),
        time_zone: person.timeZone,
        picture: `/avatar/${person.id}.svg?v=${avatarHash(person)}`,
      })),
      groups: directory.groups.values().map(({ id, handle, name, users, deletedAt }) => ({
        id,
        handle,
        name,
        users,
        enabled: deletedAt === 0,
      })),
      emoji: Object.fromEntries(
        [...directory.emoji].map(([name, value]) => [name, emojiAddress('', name, value)]),
      ),
      apps: directory.apps.values().map((app) => {
        const { socketMode, requestUrl, clientId, redirectUrls } = registered(app);
        return {
          id: app.id,
          name: app.name,
          botUserId: app.botUserId,
          botId: app.botId,
          connections: connections.of(app.id).length,
          socketMode,
          requestUrl: requestUrl ?? null,
          clientId,
          redirectUrls,
        };
      }),
      commands: parts.offers.commands,
      shortcuts: parts.offers.shortcuts,
      modals: workspace.views.modals,
      undelivered: dispatcher.undelivered + parts.trouble.listFaults().held,
    }),

    log: (limit) => workspace.journal.recent(limit),
    tick() {
      dispatcher.tick();
      workspaces.wake();
    },
    async reset() {
      parts.reset();
    },
  };
}
