import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

import type { Control } from './control.ts';
import { ControlError } from './find.ts';

type Operation = (control: Control, body: unknown) => unknown;

/** `POST /_control/…`: each is an operation of `Control`, which parses what it gets. */
const POSTS: Record<string, Operation> = {
  message: (control, body) => control.message(body as never),
  draft: (control, body) => control.draft(body as never),
  'me-message': (control, body) => control.meMessage(body as never),
  'bot-message': (control, body) => control.botMessage(body as never),
  command: async (control, body) => ({ outcome: await control.command(body as never) }),
  reaction: (control, body) => control.reaction(body as never),
  'edit-message': (control, body) => control.editMessage(body as never),
  'delete-message': (control, body) => control.deleteMessage(body as never),
  pin: (control, body) => control.pin(body as never),
  huddle: (control, body) => control.huddle(body as never),
  noise: (control, body) => control.noise(body as never),
  interact: async (control, body) => ({ outcome: await control.interact(body as never) }),
  'submit-view': (control, body) => control.submitView(body as never),
  'close-view': (control, body) => control.closeView(body as never),
  'open-home': (control, body) => control.openHome(body as never),
  suggest: (control, body) => control.suggest(body as never),
  shortcut: async (control, body) => ({ outcome: await control.shortcut(body as never) }),
  open: (control, body) => control.open(body as never),
  join: (control, body) => control.join(body as never),
  leave: (control, body) => control.leave(body as never),
  invite: (control, body) => control.invite(body as never),
  kick: (control, body) => control.kick(body as never),
  'create-channel': (control, body) => control.createChannel(body as never),
  rename: (control, body) => control.rename(body as never),
  topic: (control, body) => control.topic(body as never),
  purpose: (control, body) => control.purpose(body as never),
  archive: (control, body) => control.archive(body as never),
  'delete-channel': (control, body) => control.deleteChannel(body as never),
  share: (control, body) => control.share(body as never),
  'add-person': (control, body) => control.addPerson(body as never),
  'change-person': (control, body) => control.changePerson(body as never),
  'add-bot': (control, body) => control.addBot(body as never),
  'user-group': (control, body) => control.userGroup(body as never),
  emoji: (control, body) => control.emoji(body as never),
  'delete-file': (control, body) => control.deleteFile(body as never),
  app: (control, body) => control.app(body as never),
  disconnect: (control, body) => ({ disconnected: control.disconnect(body as never) }),
  faults: (control, body) => control.faults(body as never),
  chaos: (control, body) => control.chaos(body as never),
  calm: (control) => control.calm(),
  clock: (control, body) => control.clock(body as never),
  reset: (control) => control.reset(),
  'add-workspace': (control, body) => control.addWorkspace(body as never),
  allow: (control, body) => control.allow(body as never),
  uninstall: (control, body) => control.uninstall(body as never),
  'add-organisation': (control, body) => control.addOrganisation(body as never),
  'share-within': (control, body) => control.shareWithin(body as never),
  'team-access': (control, body) => control.teamAccess(body as never),
};

/** Of the sandbox, not of one workspace: where these have a field `team` it is their own. */
const OF_ALL = new Set([
  'add-organisation',
  'add-workspace',
  'app',
  'calm',
  'chaos',
  'clock',
  'disconnect',
  'faults',
  'reset',
  'team-access',
  'uninstall',
]);

/** `GET /_control/…` with its query; what is not so simple stands in `serveControl`. */
const GETS: Record<string, (control: Control, query: unknown) => unknown> = {
  state: (control) => control.state(),
  faults: (control) => control.listFaults(),
  clock: (control) => control.showClock(),
  calls: (control, query) => ({ calls: control.calls(query as never) }),
  deliveries: (control, query) => ({ deliveries: control.deliveries(query as never) }),
};

/** The control API: what people do in the workspace, for tests and for the page. */
export function serveControl(server: FastifyInstance, control: Control): void {
  for (const [name, operation] of Object.entries(POSTS))
    server.post(`/_control/${name}`, (request, reply) =>
      answer(reply, async () => {
        const body = jsonBody(request);
        if (OF_ALL.has(name)) return (await operation(control, body)) ?? {};
        const { team, rest } = teamIn(body);
        return (await operation(inTeam(control, team), rest)) ?? {};
      }),
    );
  server.get<{ Params: { channel: string }; Querystring: { as?: string; thread?: string; team?: string } }>(
    '/_control/messages/:channel',
    (request, reply) =>
      answer(reply, async () => {
        const { as, thread, team } = request.query;
        return { messages: await inTeam(control, team).messages(request.params.channel, as, thread) };
      }),
  );
  for (const [name, look] of Object.entries(GETS))
    server.get<{ Querystring: { team?: string } }>(`/_control/${name}`, (request, reply) =>
      answer(reply, async () => look(inTeam(control, request.query.team), request.query)),
    );
  server.get<{ Params: { user: string }; Querystring: { team?: string } }>(
    '/_control/views/:user',
    (request, reply) =>
      answer(reply, async () => inTeam(control, request.query.team).views(request.params.user)),
  );
  server.get<{ Querystring: { limit?: string } }>('/_control/log', (request, reply) =>
    answer(reply, async () => ({ entries: control.log(Number(request.query.limit ?? 200) || 200) })),
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

/** Sends what the work gives, or what was wrong with the request. */
export async function answer(reply: FastifyReply, work: () => Promise<unknown>): Promise<FastifyReply> {
  try {
    return await reply.send(await work());
  } catch (error) {
    if (error instanceof ControlError) return reply.code(400).send({ error: error.message });
    if (error instanceof z.ZodError) return reply.code(400).send({ error: z.prettifyError(error) });
    throw error;
  }
}
