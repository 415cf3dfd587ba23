import { z } from 'zod';

import { RequestUrlRefused } from '../delivery/http-requests.ts';
import { runCommand, runShortcut } from '../interactions/press.ts';
import { redirectUrl } from '../seed.ts';
import { setTransport } from '../workspace/apps.ts';
import { ControlError, name, operation, operationNow, place, ts, words } from './operation.ts';

/** How the app is used and reached. */
export const APP_OPERATIONS = {
  /** Types a slash command. */
  command: operation(
    z.object({ ...place, command: z.string().startsWith('/'), text: words.default('') }),
    ({ workspace, find, baseUrl }, { channel, user, ...typed }) =>
      runCommand(workspace, find.app(), baseUrl(), {
        channel: find.channel(channel, user),
        person: find.ownPerson(user),
        ...typed,
      }),
  ),

  /** Chooses a global shortcut, or that of a message (`channel`, `messageTs`). */
  shortcut: operation(
    z.object({ user: name, callbackId: name, channel: z.string().optional(), messageTs: ts.optional() }),
    ({ workspace, find, baseUrl }, { user, callbackId, channel: where, messageTs }) => {
      const chosen = { callbackId, person: find.ownPerson(user) };
      if (where === undefined || messageTs === undefined)
        return runShortcut(workspace, find.app(), baseUrl(), chosen);
      const channel = find.channel(where, user);
      const on = { channel, message: find.message(channel, messageTs) };
      return runShortcut(workspace, find.app(), baseUrl(), { ...chosen, on });
    },
  ),

  /**
   * Changes how the app is reached: by its request URL (refused if it does not answer the challenge), or by Socket
   * Mode, which wins, and is on where there is no request URL. `redirectUrls` replace those that were there.
   * `eventsPerHour` is for loads that Slack's own limit would cut off.
   */
  app: operation(
    z
      .object({
        requestUrl: z
          .url({ protocol: /^https?$/ })
          .nullable()
          .optional(),
        socketMode: z.boolean().optional(),
        redirectUrls: z.array(redirectUrl).optional(),
        eventsPerHour: z.int().min(1).optional(),
      })
      .refine(
        ({ requestUrl, socketMode }) => (requestUrl ?? undefined) !== undefined || socketMode !== false,
        { error: 'an app without Socket Mode needs a request URL' },
      )
      .refine(
        (app) => [app.requestUrl, app.redirectUrls, app.eventsPerHour].some((value) => value !== undefined),
        { error: 'say a request URL (or null), redirect URLs or events an hour' },
      ),
    async ({ workspaces, workspace, dispatcher, connections, http }, request) => {
      const { requestUrl, socketMode = requestUrl === null, redirectUrls, eventsPerHour } = request;
      const [app] = workspaces.apps.values();
      if (!app) throw new ControlError('no app is registered');
      if (redirectUrls) workspace.db.update('app', { id: app.id }, { redirect_urls: redirectUrls });
      if (eventsPerHour !== undefined) dispatcher.allowEvents(eventsPerHour);
      if (requestUrl === undefined) return;
      try {
        if (requestUrl !== null) await http.verify(app, requestUrl);
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
  ),

  /** Tells Socket Mode connections to reconnect (or cuts them); returns how many. */
  disconnect: operationNow(
    z.object({
      reason: z.enum(['warning', 'refresh_requested', 'link_disabled', 'cut']),
      connections: z.array(z.string()).optional(),
    }),
    ({ connections }, { reason, connections: ids }) =>
      reason === 'cut' ? connections.cut(ids) : connections.disconnect(reason, ids),
  ),
};
