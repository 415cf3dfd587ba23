import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

import { type Control, OPERATIONS } from './control.ts';
import { ControlError } from './operation.ts';

/**
 * `POST /_control/…` by their names in kebab case; each parses what it gets. (`upload` takes more: `upload-route.ts`.)
 */
const POSTS = [...Object.keys(OPERATIONS), 'faults', 'chaos', 'clearFaults', 'clock', 'reset'].filter(
  (name) => name !== 'upload' && name !== 'bringFiles',
) as (keyof typeof OPERATIONS)[];
/** The name of the result, if it is a single value. */
const ANSWERS: Partial<Record<string, string>> = {
  command: 'outcome',
  interact: 'outcome',
  shortcut: 'outcome',
  disconnect: 'disconnected',
};

/** Of the sandbox, not of one workspace: where these have a field `team` it is their own. */
const OF_ALL = new Set<string>(
  'addOrganisation addWorkspace app clearFaults chaos clock disconnect faults reset teamAccess uninstall'.split(
    ' ',
  ),
);

/** `GET /_control/…` with its query; the others are in `serveControl`. */
const GETS: Record<string, (control: Control, query: unknown) => unknown> = {
  state: (control) => control.state(),
  faults: (control) => control.listFaults(),
  clock: (control) => control.showClock(),
  calls: (control, query) => ({ calls: control.calls(query as never) }),
  deliveries: (control, query) => ({ deliveries: control.deliveries(query as never) }),
};

/** The control API: what people do in the workspace, for tests and for the page. */
export function serveControl(server: FastifyInstance, control: Control): void {
  for (const name of POSTS)
    server.post(
      `/_control/${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      (request, reply) =>
        sendResult(reply, async () => {
          const body = jsonBody(request);
          const { team, rest } = OF_ALL.has(name) ? { team: undefined, rest: body } : teamIn(body);
          const given: unknown = await inTeam(control, team)[name](rest as never);
          const field = ANSWERS[name];
          return field === undefined ? (given ?? {}) : { [field]: given };
        }),
    );
  server.get<{ Params: { channel: string }; Querystring: { as?: string; thread?: string; team?: string } }>(
    '/_control/messages/:channel',
    (request, reply) =>
      sendResult(reply, async () => {
        const { as, thread, team } = request.query;
        return { messages: await inTeam(control, team).messages(request.params.channel, as, thread) };
      }),
  );
  for (const [name, look] of Object.entries(GETS))
    server.get<{ Querystring: { team?: string } }>(`/_control/${name}`, (request, reply) =>
      sendResult(reply, async () => look(inTeam(control, request.query.team), request.query)),
    );
  server.get<{ Params: { user: string }; Querystring: { team?: string } }>(
    '/_control/views/:user',
    (request, reply) =>
      sendResult(reply, async () => inTeam(control, request.query.team).views(request.params.user)),
  );
  server.get<{ Querystring: { limit?: string } }>('/_control/log', (request, reply) =>
    sendResult(reply, async () => ({ entries: control.log(Number(request.query.limit ?? 200) || 200) })),
  );
}

/** The default workspace's operations, or those of the named one. */
export function inTeam(control: Control, team: string | undefined): Control {
  return team === undefined ? control : control.team(team);
}

/** Which workspace a request is for (its field `team`), and the request without that. */
export function teamIn(body: unknown): { team: string | undefined; rest: unknown } {
  if (typeof body !== 'object' || body === null || !('team' in body)) return { team: undefined, rest: body };
  const { team, ...rest } = body;
  if (typeof team !== 'string') throw new ControlError('team: the id, the domain or the name of a workspace');
  return { team, rest };
}

/**
 * Only JSON: a form could be sent by any web page that a person has open, JSON cannot without our consent.
 */
function jsonBody(request: FastifyRequest): unknown {
  if (request.body !== undefined && !/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    throw new ControlError('send JSON (content-type: application/json)');
  return request.body;
}

/** Sends the result, or the error of the request. */
export async function sendResult(reply: FastifyReply, work: () => Promise<unknown>): Promise<FastifyReply> {
  try {
    return await reply.send(await work());
  } catch (error) {
    if (error instanceof ControlError) return reply.code(400).send({ error: error.message });
    if (error instanceof z.ZodError) return reply.code(400).send({ error: z.prettifyError(error) });
    throw error;
  }
}
