import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { ServiceError } from '../client/index.ts';
import { type Problem, sendProblem } from '../platform/http/index.ts';
import type { Log } from '../platform/log.ts';
import type { Clients } from './clients.ts';
import { problemOfError, SIGNED_OUT } from './refusal.ts';
import type { Sessions } from './session.ts';

/** Reads what can be linked; undefined if no chat is known here. */
export interface ChatLists {
  channels: () => Promise<
    readonly { id: string; name: string; isPrivate: boolean; teamId: string }[] | undefined
  >;
  members: () => Promise<
    | readonly { id: string; name: string; handle: string; email?: string | undefined; teamId: string }[]
    | undefined
  >;
}

export interface ChatListsOptions {
  sessions: Sessions;
  clients: Clients;
  chat: ChatLists;
  log: Log;
}

const ADMINS_ONLY: Problem = {
  status: 403,
  code: 'FORBIDDEN',
  message: 'Only admins can link channels and Slack accounts.',
};
const UNKNOWN: Problem = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'This desk cannot list what is in Slack. Paste the channel’s link or the member ID.',
};
const AWAY: Problem = {
  status: 503,
  code: 'SERVICE_UNAVAILABLE',
  message: 'Slack did not answer. Paste the channel’s link or the member ID, or try again in a minute.',
};

/** A company has more members than a list shows: one types to find the others. */
const MEMBERS_AT_ONCE = 30;
const Search = z.object({ search: z.string().max(200).catch('') });

/**
 * For admins: `GET /desk/channels`, the chat channels by name, private ones only if the bot is a member; and
 * `GET /desk/members?search=`, the people of chat with these words in their name, handle or e-mail address.
 */
export function serveChatLists(
  server: FastifyInstance,
  { sessions, clients, chat, log }: ChatListsOptions,
): void {
  const serve = (path: string, read: (query: unknown) => Promise<readonly object[] | undefined>) =>
    server.get(path, async (request, reply) => {
      const session = sessions.read(request);
      if (!session) return sendProblem(reply, SIGNED_OUT);
      // What a key may do is not known here.
      if (session.kind === 'key') return sendProblem(reply, UNKNOWN);
      try {
        const { role } = await clients.of(session.token).readSession({});
        if (role !== 'admin') return await sendProblem(reply, ADMINS_ONLY);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return await sendProblem(reply, problemOfError(error, 'person'));
      }
      try {
        const items = await read(request.query);
        return items ? { items } : await sendProblem(reply, UNKNOWN);
      } catch (error) {
        log.warn({ err: error, event: 'chat.not_listed', path }, 'chat did not list what can be linked');
        return await sendProblem(reply, AWAY);
      }
    });
  serve('/channels', chat.channels);
  serve('/members', async (query) => {
    const words = Search.parse(query).search.toLocaleLowerCase().split(/\s+/);
    const members = await chat.members();
    return members
      ?.filter(({ name, handle, email = '' }) => {
        const text = `${name} @${handle} ${email}`.toLocaleLowerCase();
        return words.every((word) => text.includes(word));
      })
      .toSorted((one, other) => one.name.localeCompare(other.name))
      .slice(0, MEMBERS_AT_ONCE)
      .map(({ email: _, ...member }) => member);
  });
}
