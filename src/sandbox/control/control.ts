import type { Connections } from '../delivery/connections.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import type { HttpRequests } from '../delivery/http-requests.ts';
import type { Entry } from '../journal.ts';
import type { ParsedSeed } from '../seed.ts';
import { everything } from '../workspace/message-store.ts';
import { avatarHash, emojiAddress } from '../workspace/people.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { APP_OPERATIONS } from './apps.ts';
import type { CallLog } from './calls.ts';
import { CHANNEL_OPERATIONS } from './channels.ts';
import type { ClockControl } from './clock.ts';
import type { FaultControl } from './faults.ts';
import { FILE_OPERATIONS } from './files.ts';
import { MESSAGE_OPERATIONS } from './messages.ts';
import { bind, type Bound, type Context, ControlError, createFinders } from './operation.ts';
import { PEOPLE_OPERATIONS } from './people.ts';
import { shownMessage, type ShownMessage } from './shown.ts';
import { type ShownViews, VIEW_OPERATIONS, viewsOf } from './views.ts';
import { createWaits, type Waits } from './waits.ts';
import { WORKSPACE_OPERATIONS } from './workspaces.ts';

/** What people do in a workspace; over HTTP each is `POST /_control/` and its name in kebab case. */
export const OPERATIONS = {
  ...MESSAGE_OPERATIONS,
  ...CHANNEL_OPERATIONS,
  ...PEOPLE_OPERATIONS,
  ...FILE_OPERATIONS,
  ...VIEW_OPERATIONS,
  ...APP_OPERATIONS,
  ...WORKSPACE_OPERATIONS,
};

/** The control API: actions of people, reads for tests, and faults. */
export interface Control extends Waits, FaultControl, ClockControl, CallLog, Bound<typeof OPERATIONS> {
  /** The same in another workspace, by its id, its domain or its name. */
  team(name: string): Control;
  /**
   * Everything in a channel in ts order, threads included; with `as`, that person's ephemeral messages too; with the
   * `thread` of a message's ts, only that one and its replies.
   */
  messages(channel: string, as?: string, thread?: string): Promise<ShownMessage[]>;
  /** The views of a person: their modals and their Home. */
  views(user: string): ShownViews;
  state(): State;
  /** Recent entries, newest last. */
  log(limit?: number): Entry[];
  /** Runs what is due by the clock: for tests that moved it. */
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
  faultControl: FaultControl;
  clock: ClockControl;
  callLog: CallLog;
  baseUrl: () => string;
  /** What the app's manifest offers people to type and to choose. */
  offers: Pick<ParsedSeed['app'], 'commands' | 'shortcuts'>;
  reset: () => void;
}

export function createControl(parts: ControlParts): Control {
  const { workspaces, workspace, dispatcher } = parts;
  const find = createFinders(workspace);
  const context: Context = { ...parts, find };
  const messages = (name: string, as?: string, thread?: string): ShownMessage[] => {
    const channel = find.channel(name, as);
    const person = as === undefined ? undefined : find.person(as).id;
    return everything(workspace.db, channel.id, { person, thread }).map(shownMessage);
  };

  return {
    ...createWaits(workspace.journal, messages, () => workspace.directory),
    ...parts.faultControl,
    ...parts.clock,
    ...parts.callLog,
    ...bind(OPERATIONS, context),
    team(name) {
      const found = workspaces.find(name);
      if (found) return parts.of(found);
      const known = workspaces.all.map((one) => one.directory.team.domain).join(', ');
      throw new ControlError(`there is no workspace "${name}" here; there are: ${known}`);
    },
    messages: async (name, as, thread) => messages(name, as, thread),
    views: (user) => viewsOf(context, find.person(user)),
    state: () => controlState(parts),
    log: (limit) => workspace.journal.recent(limit),
    tick() {
      dispatcher.tick();
      workspaces.wake();
    },
    reset: async () => parts.reset(),
  };
}

/** The workspace as the page shows it; `modals` are all that are open, by the id of their first view. */
export type State = ReturnType<typeof controlState>;

function controlState({ workspaces, workspace, connections, dispatcher, ...parts }: ControlParts) {
  const { directory } = workspace;
  return {
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
      const registered = workspaces.apps.get(app.id);
      if (!registered) throw new ControlError(`no app "${app.id}" is registered`);
      const { socketMode, requestUrl, clientId, redirectUrls } = registered;
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
    undelivered: dispatcher.undelivered + parts.faultControl.listFaults().held,
    inFlight: dispatcher.inFlight,
  };
}
