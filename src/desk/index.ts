import type { FastifyPluginAsync } from 'fastify';

import { ServiceError } from '../client/index.ts';
import type { Clock } from '../platform/clock.ts';
import { createEgress } from '../platform/egress.ts';
import { receiveJsonBodies, sendProblem } from '../platform/http/index.ts';
import type { Running } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import { createSealing } from '../platform/sealing.ts';
import { type ChatLists, serveChatLists } from './chat-lists.ts';
import { createClients } from './clients.ts';
import { Everywhere } from './everywhere.ts';
import { serveFiles } from './files.ts';
import { readFirstData } from './first-data.ts';
import { serveFormPreview } from './form-preview.ts';
import { type Live, serveLive } from './live.ts';
import { answering, operations } from './operations.ts';
import { isOwnPage } from './own-page.ts';
import { createPictures } from './pictures.ts';
import { isUnauthorized, OTHER_PAGE, problemOfError, SIGNED_OUT } from './refusal.ts';
import { sessionRoutes, shownSession } from './session-routes.ts';
import { createSessions } from './session.ts';
import type { ThreadUrl } from './shown.ts';
import { sendNotFoundPage, serveWebPage } from './web-page.ts';

export interface DeskOptions {
  /** Any implementation of the contract. */
  service: { url: string; tokenHeader: string };
  /** Whether people sign in as themselves, at `/auth` of this server; else with an API key of the service. */
  signIn: boolean;
  /** Encrypt the sessions; the first key encrypts, all decrypt. */
  encryptionKeys: readonly Buffer[];
  /** The desk's public URL. */
  publicUrl: string;
  threadUrl: ThreadUrl;
  chat: ChatLists;
  clock: Clock;
  random: () => number;
  log: Log;
  /** Milliseconds between two checks for changes; default 3,000. */
  lookEveryMs?: number;
  /** Milliseconds for which the page waits for its first data; default 1,000. */
  firstDataMs?: number;
}

export interface Desk extends Running {
  /** The page at its own addresses, all else below `/desk/`. */
  plugin: FastifyPluginAsync;
  /** Checks the sessions of the open pages now: one ended, or a person's role changed. */
  checkSessions(): void;
  /** Lets the open pages read again what they show: others may read a ticket or queue than before. */
  tellReaders(): void;
  /** Answers browsers at addresses that do not exist. */
  notFoundPage: typeof sendNotFoundPage;
}

/** The web page of agents and requesters. It uses only the service, by HTTP, with the token of the signed-in user. */
export function createDesk(options: DeskOptions): Desk {
  const { service, signIn, encryptionKeys, publicUrl, threadUrl, chat, clock, random, log } = options;
  const { lookEveryMs: everyMs = 3_000, firstDataMs: withinMs = 1_000 } = options;
  const clients = createClients({ ...service, clock, random });
  const everywhere = new Everywhere(clients, clock);
  const sessions = createSessions({
    signIn,
    clients,
    sealing: createSealing(encryptionKeys),
    clock,
    secure: publicUrl.startsWith('https:'),
  });
  const ofService = `${service.url}/`;
  const egress = createEgress({
    allowPrivate: false,
    isExempt: (url) => URL.parse(url)?.href.startsWith(ofService) === true,
  });
  const pictures = createPictures(encryptionKeys, egress);
  const answer = answering({ clients, everywhere, showing: { threadUrl, pictures } });
  let live: Live | undefined;
  let files: ReturnType<typeof serveFiles> | undefined;

  return {
    checkSessions: () => live?.check(),
    tellReaders: () => live?.tellReaders(),
    notFoundPage: sendNotFoundPage,
    plugin: async (server) => {
      await serveWebPage(server, (request) =>
        readFirstData(request, {
          sessions,
          answer,
          clock,
          withinMs,
          shownSession: (session) => shownSession(session, { clients, pictures }),
        }),
      );
      await server.register(
        async (own) => {
          receiveJsonBodies(own);
          own.addHook('onRequest', async (request, reply) => {
            reply.header('cache-control', 'no-store');
            if (!isOwnPage(request.method, request.headers)) return sendProblem(reply, OTHER_PAGE);
            return undefined;
          });
          own.setErrorHandler((error, request, reply) => {
            if (!(error instanceof ServiceError)) throw error;
            if (isUnauthorized(error)) sessions.end(reply);
            return sendProblem(reply, problemOfError(error, sessions.read(request)?.kind));
          });
          sessionRoutes(own, { sessions, clients, pictures });
          await own.register(async (signedIn) => {
            // Runs before the body is read: a caller who is not signed in must not make the server hold a megabyte.
            signedIn.addHook('onRequest', async (request, reply) => {
              const isRead = request.method === 'GET' || request.method === 'HEAD';
              const isAdmitted = isRead ? sessions.read(request) : await sessions.admits(request);
              return isAdmitted ? undefined : sendProblem(reply, SIGNED_OUT);
            });
            operations(signedIn, { sessions, answer });
            files = serveFiles(signedIn, { sessions, service });
            pictures.serve(signedIn, sessions);
            serveFormPreview(signedIn, sessions);
            serveChatLists(signedIn, { sessions, clients, chat, log });
            live = serveLive(signedIn, { sessions, clients, everywhere, log, everyMs });
          });
          own.addHook('preClose', (done) => {
            live?.end();
            done();
          });
        },
        { prefix: '/desk' },
      );
    },
    stop: async () => {
      await Promise.all([clients.close(), egress.stop(), files?.close()]);
    },
  };
}
