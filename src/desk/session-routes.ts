import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { type Answer, ServiceError } from '../client/index.ts';
import { type Problem, sendProblem } from '../platform/http/index.ts';
import type { Clients } from './clients.ts';
import type { ShownSession } from './first-data.ts';
import type { Pictures } from './pictures.ts';
import { isUnauthorized, malformed, problemOfError, SIGNED_OUT } from './refusal.ts';
import type { Session, Sessions } from './session.ts';
import { pictureOf } from './shown.ts';

const signIn = z.object({
  key: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,500}$/),
});
const choose = z.object({ userId: z.string().min(1).max(500).nullable() });

/** The largest body of a caller who has no session yet. */
const SMALL = { bodyLimit: 4_096 };

const NO_KEY = {
  status: 400,
  code: 'BAD_REQUEST',
  message: 'Paste an API key. An administrator can create one in the settings.',
};
const WRONG_KEY = {
  ...SIGNED_OUT,
  message: 'This API key is not valid. Copy it again; a revoked key stops working at once.',
};

/**
 * `/desk/session`: who is signed in, and signing out; with an API key also signing in and choosing the user. No
 * response contains the token.
 */
export function sessionRoutes(
  server: FastifyInstance,
  options: { sessions: Sessions; clients: Clients; pictures: Pictures },
): void {
  if (options.sessions.signIn) personRoutes(server, options);
  else keyRoutes(server, options);
}

function personRoutes(
  server: FastifyInstance,
  { sessions, clients, pictures }: { sessions: Sessions; clients: Clients; pictures: Pictures },
): void {
  server.get('/session', async (request, reply) => {
    const session = sessions.read(request);
    if (!session) return { signIn: true, session: null };
    try {
      return await shownSession(session, { clients, pictures });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (!isUnauthorized(error)) return sendProblem(reply, problemOfError(error, 'person'));
      sessions.end(reply);
      return { signIn: true, session: null };
    }
  });

  // The cookie stays if the session could not be ended: it would still work where it was copied to.
  server.delete('/session', SMALL, async (request, reply) => {
    const session = sessions.read(request);
    try {
      if (session) await clients.of(session.token).endSession({ params: { id: 'current' } });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (!isUnauthorized(error)) return sendProblem(reply, problemOfError(error, 'person', true));
    }
    sessions.end(reply);
    return {};
  });
}

/** The response of `GET /desk/session` to a signed-in user. Throws ServiceError. */
export async function shownSession(
  session: Session,
  { clients, pictures }: { clients: Clients; pictures: Pictures },
): Promise<ShownSession> {
  if (session.kind === 'key') return { signIn: false, session: { userId: session.userId } };
  const own = await clients.of(session.token).readSession({});
  return { signIn: true, session: shownPerson(own, pictures) };
}

function shownPerson({ user, role, queueIds, expiresAt, id }: Answer<'readSession'>, pictures: Pictures) {
  return {
    id,
    userId: user.id,
    user: { ...user, picture: pictureOf(user, pictures) },
    role,
    queueIds,
    expiresAt,
  };
}

function keyRoutes(
  server: FastifyInstance,
  { sessions, clients, pictures }: { sessions: Sessions; clients: Clients; pictures: Pictures },
): void {
  server.get('/session', (request) => {
    const session = sessions.read(request);
    return session ? shownSession(session, { clients, pictures }) : { signIn: false, session: null };
  });

  server.post('/session', SMALL, async (request, reply) => {
    const { data } = signIn.safeParse(request.body);
    if (!data) return sendProblem(reply, NO_KEY);
    const refused = await whyRefused(() => clients.of(data.key).listTickets({ query: { limit: 1 } }));
    if (refused) return sendProblem(reply, refused);
    sessions.begin(reply, { key: data.key });
    return {};
  });

  server.put('/session', SMALL, async (request, reply) => {
    const session = sessions.read(request);
    if (!session) return sendProblem(reply, SIGNED_OUT);
    const { data, error } = choose.safeParse(request.body);
    if (!data) return sendProblem(reply, malformed(error));
    const { userId } = data;
    const refused = await whyRefused(async () => {
      if (userId !== null) await clients.of(session.token).readUser({ params: { id: userId } });
    });
    if (refused) return sendProblem(reply, refused);
    sessions.begin(reply, { key: session.token, userId });
    return { userId };
  });

  server.delete('/session', SMALL, (_request, reply) => {
    sessions.end(reply);
    return {};
  });
}

/** Undefined if the service accepted the call. */
async function whyRefused(call: () => Promise<unknown>): Promise<Problem | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return isUnauthorized(error) ? WRONG_KEY : problemOfError(error);
  }
}
