import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { AnsweredError, ServiceError } from '../client/index.ts';
import { type Problem, sendProblem } from '../platform/http/index.ts';
import type { Clients } from './clients.ts';
import { malformed, problemOf, SIGNED_OUT } from './refusal.ts';
import type { Sessions } from './session.ts';

const signIn = z.object({
  key: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,500}$/),
});
const choose = z.object({ userId: z.string().min(1).max(500).nullable() });

const NO_KEY = {
  status: 400,
  code: 'BAD_REQUEST',
  message: 'Paste an API key. An administrator can create one in the settings.',
};
const WRONG_KEY = {
  ...SIGNED_OUT,
  message: 'This API key is not valid. Copy it again; a revoked key stops working at once.',
};

/** `/desk/session`: signing in and out, and choosing the user. No response contains the key. */
export function sessionRoutes(server: FastifyInstance, sessions: Sessions, clients: Clients): void {
  server.get('/session', (request, reply) => {
    const session = sessions.read(request);
    return session ? { userId: session.userId } : sendProblem(reply, SIGNED_OUT);
  });

  server.post('/session', async (request, reply) => {
    const { data } = signIn.safeParse(request.body);
    if (!data) return sendProblem(reply, NO_KEY);
    const refused = await whyRefused(() => clients.of(data.key).listTickets({ query: { limit: 1 } }));
    if (refused) return sendProblem(reply, refused);
    sessions.begin(reply, { key: data.key });
    return {};
  });

  server.put('/session', async (request, reply) => {
    const session = sessions.read(request);
    if (!session) return sendProblem(reply, SIGNED_OUT);
    const { data, error } = choose.safeParse(request.body);
    if (!data) return sendProblem(reply, malformed(error));
    const { userId } = data;
    const refused = await whyRefused(async () => {
      if (userId !== null) await clients.of(session.key).readUser({ params: { id: userId } });
    });
    if (refused) return sendProblem(reply, refused);
    sessions.begin(reply, { key: session.key, userId });
    return { userId };
  });

  server.delete('/session', (_request, reply) => {
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
    return error instanceof AnsweredError && error.status === 401 ? WRONG_KEY : problemOf(error);
  }
}
