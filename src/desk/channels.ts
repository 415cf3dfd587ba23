import type { FastifyInstance } from 'fastify';

import { ServiceError } from '../client/index.ts';
import { type Problem, sendProblem } from '../platform/http/index.ts';
import type { Log } from '../platform/log.ts';
import type { Clients } from './clients.ts';
import { problemOf, SIGNED_OUT } from './refusal.ts';
import type { Sessions } from './session.ts';

/** Reads the channels that can be linked; undefined if no chat is known here. */
export type ReadChannels = () => Promise<
  readonly { id: string; name: string; isPrivate: boolean; teamId: string }[] | undefined
>;

export interface ChannelsOptions {
  sessions: Sessions;
  clients: Clients;
  channels: ReadChannels;
  log: Log;
}

const ADMINS_ONLY: Problem = { status: 403, code: 'FORBIDDEN', message: 'Only admins link channels.' };
const UNKNOWN: Problem = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'This desk cannot list channels. Paste the channel’s link.',
};
const AWAY: Problem = {
  status: 503,
  code: 'SERVICE_UNAVAILABLE',
  message: 'The chat did not list its channels. Paste the channel’s link, or try again in a minute.',
};

/** `GET /desk/channels`: the chat channels by name, for admins; private ones only if the bot is a member. */
export function serveChannels(
  server: FastifyInstance,
  { sessions, clients, channels, log }: ChannelsOptions,
): void {
  server.get('/channels', async (request, reply) => {
    const session = sessions.read(request);
    if (!session) return sendProblem(reply, SIGNED_OUT);
    // What a key may do is not known here.
    if (session.kind === 'key') return sendProblem(reply, UNKNOWN);
    try {
      const { role } = await clients.of(session.token).readSession({});
      if (role !== 'admin') return await sendProblem(reply, ADMINS_ONLY);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return await sendProblem(reply, problemOf(error, 'person'));
    }
    try {
      const items = await channels();
      return items ? { items } : await sendProblem(reply, UNKNOWN);
    } catch (error) {
      log.warn({ err: error, event: 'channels.not_listed' }, 'chat did not list its channels');
      return await sendProblem(reply, AWAY);
    }
  });
}
