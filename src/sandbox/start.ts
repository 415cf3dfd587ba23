import type { AddressInfo } from 'node:net';
import path from 'node:path';

import type { Clock } from '../platform/clock.ts';
import { makeDirectory } from '../platform/directory.ts';
import type { NewId } from '../platform/ids.ts';
import type { Running } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import { SandboxClock } from './clock.ts';
import { createCallLog } from './control/calls.ts';
import { createClockControl } from './control/clock.ts';
import { type Control, createControl } from './control/control.ts';
import { createFaultControl } from './control/faults.ts';
import { guardRequests, isLoopback } from './control/guard.ts';
import { serveControl } from './control/routes.ts';
import { serveUpload } from './control/upload-route.ts';
import { Connections } from './delivery/connections.ts';
import { Dispatcher } from './delivery/dispatcher.ts';
import { EventFaults } from './faults/event-faults.ts';
import { EventBudget } from './delivery/ready-queue.ts';
import { HttpRequests } from './delivery/http-requests.ts';
import { CallFaults } from './faults/call-faults.ts';
import { Chaos } from './faults/chaos.ts';
import { serveFiles } from './file-routes.ts';
import { createHttp, serveResponses } from './http.ts';
import { Journal } from './journal.ts';
import { serveLive } from './live.ts';
import { serveOAuth } from './oauth/authorize.ts';
import { serveOpenId } from './oauth/openid-authorize.ts';
import { SignIns } from './oauth/sign-ins.ts';
import { servePage, servePictures } from './page.ts';
import { type SandboxSeed, sandboxSeed } from './seed.ts';
import { Database, SandboxStartError } from './store/database.ts';
import { serveWebApi } from './web-api/routes.ts';
import { addHistory, type PastMessage } from './workspace/messages.ts';
import { applySeed } from './workspace/apply-seed.ts';
import { setTransport } from './workspace/apps.ts';
import { createIdMaker } from './workspace/ids.ts';
import type { Workspace } from './workspace/workspace.ts';
import { Workspaces } from './workspace/workspaces.ts';

export interface SandboxOptions {
  /** The database file; `:memory:` stores nothing. */
  file: string;
  log: Log;
  clock: Clock;
  newId: NewId;
  /** 0 ≤ x < 1; makes tickets and envelope ids repeatable in tests. */
  random: () => number;
  host: string;
  /** 0 takes any free one. */
  port: number;
  seed: SandboxSeed;
  /** How long an app may take to acknowledge, and to use a trigger; default, Slack's three seconds. */
  patienceMs?: number | undefined;
}

export interface Sandbox extends Running {
  /** `http://127.0.0.1:port`: the page, the control API. */
  readonly url: string;
  /** `…/api/`: an app's `slackApiUrl`. */
  readonly apiUrl: string;
  readonly port: number;
  /** The operations of the HTTP control API, in process. */
  readonly control: Control;
  /** Adds what was said in the default workspace before it began; no app is notified. */
  addHistory(messages: readonly PastMessage[]): void;
}

/**
 * Starts a chat workspace that speaks Slack's Web API, Socket Mode and interactivity. Its state is in one
 * file and outlives it, undelivered envelopes included; the seed goes into an empty file only.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { log, host, random, patienceMs } = options;
  const clock = new SandboxClock(options.clock);
  const seed = sandboxSeed.parse(options.seed);
  if (options.file !== ':memory:') await makeFolder(options.file);
  const db = new Database(options.file);
  const journal = new Journal(clock);
  const ids = createIdMaker(options.newId, options.random);
  const { unfurlDomains } = seed.app;
  const workspaces = new Workspaces({ db, clock, ids, journal, log, unfurlDomains, patienceMs });
  const connections = new Connections({ clock, ids, journal, log });
  const http = new HttpRequests({
    // The app's clock does not move with the workspace's, and the app checks the time of a signature.
    clock: options.clock,
    ids,
    patienceMs,
    verified: (app) => setTransport(db, app, { ...app, requestUrlVerified: true }),
  });
  const chaos = new Chaos();
  const faults = new CallFaults({ clock, chance: random, chaos });
  const dispatcher = new Dispatcher({
    clock,
    patienceMs,
    db,
    ids,
    journal,
    connections,
    http,
    apps: workspaces.apps,
    budget: new EventBudget(seed.app.eventsPerHour),
    limited: (appId, teamId, since) => tellLimited(workspaces, { appId, teamId, since }, log),
    log,
  });
  const eventFaults = new EventFaults({
    clock,
    patienceMs,
    db,
    ids,
    journal,
    chance: random,
    chaos,
    deliver: (envelopes) => dispatcher.deliver(envelopes),
    cut: (ids) => connections.cut(ids),
  });
  workspaces.deliver = (envelopes) => eventFaults.deliver(envelopes);
  dispatcher.losesAck = (seq, via) => eventFaults.losesAck(seq, via);
  const server = createHttp();
  let url = '';

  const fill = () => {
    applySeed(db, seed, clock.now());
    workspaces.load();
  };
  const faultControl = createFaultControl({ calls: faults, events: eventFaults, chaos, journal, random });
  const controls = new WeakMap<Workspace, Control>();
  const controlOf = (workspace: Workspace): Control => {
    const made = controls.get(workspace) ?? createControl({ ...controlParts, workspace, of: controlOf });
    controls.set(workspace, made);
    return made;
  };
  const controlParts = {
    workspaces,
    connections,
    dispatcher,
    http,
    faultControl,
    clock: createClockControl(clock, journal),
    callLog: createCallLog(() => journal.recent()),
    baseUrl: () => url,
    offers: seed.app,
    reset: () => {
      eventFaults.forget();
      faultControl.clearFaults();
      dispatcher.clear();
      db.clear();
      fill();
      journal.record('channel', { channel: '*', change: 'reset' });
    },
  };
  const control = controlOf(workspaces.default);

  guardRequests(server, host);
  const signIns = new SignIns(options.clock);
  serveWebApi(server, { workspaces, connections, journal, clock, faults, signIns, log });
  serveOAuth(server, workspaces);
  serveOpenId(server, workspaces, signIns);
  serveResponses(server, workspaces, faults);
  serveControl(server, control);
  serveUpload(server, control);
  serveFiles(server, workspaces);
  serveLive(server, workspaces);
  servePage(server);
  servePictures(server, workspaces);
  connections.attach(server.server);

  const stop = async () => {
    clock.stop();
    workspaces.stop();
    await connections.stop();
    await server.close();
    dispatcher.stop();
    await http.stop();
    db.close();
  };
  try {
    fill();
    dispatcher.load();
    await listen(server, host, options.port);
    dispatcher.tick();
    workspaces.wake();
  } catch (error) {
    await stop();
    throw error;
  }
  const { port } = server.server.address() as AddressInfo;
  url = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`;
  workspaces.reachedAt(url);
  workspaces.resume();
  if (!isLoopback(host))
    log.warn(
      { host },
      'the sandbox listens beyond this machine: anyone who reaches it can act as any user, because it has no key',
    );
  log.info({ url }, 'the sandbox workspace is open');
  return {
    url,
    apiUrl: `${url}/api/`,
    port,
    control,
    stop,
    addHistory: (messages) => addHistory(workspaces.default, messages),
  };
}

async function makeFolder(file: string): Promise<void> {
  try {
    await makeDirectory(path.dirname(file));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw new SandboxStartError(
      `The sandbox's file ${file} cannot be opened (${code}): set DATA_DIR to a folder that can be written.`,
      { cause: error },
    );
  }
}

/** `app_rate_limited` (docs.slack.dev/reference/events/app_rate_limited): it has no inner event. */
function tellLimited(
  workspaces: Workspaces,
  { appId, teamId, since }: { appId: string; teamId: string; since: number },
  log: Log,
): void {
  const workspace = workspaces.find(teamId);
  const app = workspace?.directory.apps.get(appId);
  if (!workspace || !app) return;
  const sending = workspace.send(app, 'events_api', {
    token: 'sandbox-verification-token',
    type: 'app_rate_limited',
    team_id: teamId,
    minute_rate_limited: since,
    api_app_id: appId,
  });
  sending.catch((error: unknown) =>
    log.warn({ err: error }, 'an app could not be notified of its event limit'),
  );
}

async function listen(server: ReturnType<typeof createHttp>, host: string, port: number): Promise<void> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new SandboxStartError(
        `The sandbox's port ${port} is in use: stop what runs there, or set SANDBOX_PORT to another port (0 takes any free one).`,
        { cause: error },
      );
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
      throw new SandboxStartError(
        `The sandbox cannot listen on ${host}:${port} (${code}): choose an address of this machine and a port above 1023 (SANDBOX_PORT).`,
        { cause: error },
      );
    throw error;
  }
}
