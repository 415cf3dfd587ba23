import type { FastifyInstance } from 'fastify';

import { openEventStream } from '../platform/http/index.ts';
import { shownMessage } from './control/shown.ts';
import type { Entry, EntryOf } from './journal.ts';
import { messageRow } from './workspace/message-store.ts';
import type { Workspace } from './workspace/workspace.ts';
import type { Workspaces } from './workspace/workspaces.ts';

/**
 * `GET /_live?as=…`: what changes in a workspace (`team`, else the default one), as server-sent events, for one acting
 * person. A message comes with its thread's
 * root, whose reply line changes with it; ephemeral ones only to their person. With `log=1` every entry of the log
 * comes besides, as the event `log`.
 */
export function serveLive(server: FastifyInstance, workspaces: Workspaces): void {
  server.get<{ Querystring: { as?: string; log?: string; team?: string } }>('/_live', (request, reply) => {
    const { as, log, team } = request.query;
    const workspace = (team === undefined ? undefined : workspaces.find(team)) ?? workspaces.default;
    const { send } = openEventStream(reply, () => stop());
    const stop = workspace.journal.subscribe((entry) => {
      if (log !== undefined) send('log', entry);
      if (!isFor(entry, as, workspace)) return;
      if (entry.kind === 'message') send('message', changeOf(workspace, entry));
      else send(entry.kind, entry);
    });
    send('ready', {});
  });
}

function isFor(entry: Entry, as: string | undefined, { directory }: Workspace): boolean {
  if (entry.kind === 'channel' || entry.kind === 'connection') return true;
  if (entry.kind === 'view') return entry.user === as;
  if (entry.kind !== 'message' || !directory.channels.has(entry.channel)) return false;
  return entry.ephemeral_for === undefined || entry.ephemeral_for === as;
}

function changeOf(workspace: Workspace, entry: EntryOf<'message'>): unknown {
  const wanted = entry.thread_ts === undefined ? [entry.ts] : [entry.ts, entry.thread_ts];
  const rows = wanted.flatMap((ts) => messageRow(workspace.db, entry.channel, ts) ?? []);
  const present = new Set(rows.map(({ ts }) => ts));
  return {
    channel: entry.channel,
    change: entry.change,
    messages: rows.map(shownMessage),
    gone: wanted.filter((ts) => !present.has(ts)),
  };
}
