import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { BYTE_ROUTES, file, type Route, uploadedFiles } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { requireOwnIdentity } from '../access/identity.ts';
import { requireRole } from '../http/roles.ts';
import { validate } from '../http/validate.ts';
import type { Caller } from '../handler.ts';
import type { Authenticated } from '../keys/authenticated.ts';
import { ServiceProblem } from '../problem.ts';
import { type CsvQuery, sendTargetReport } from '../target-report/csv.ts';
import { withOpenings } from '../tickets/opened.ts';
import { sendFile, sendThumbnail } from './download.ts';
import type { Thumbnails } from './thumbnails.ts';
import {
  type FileStore,
  type MessageUpload,
  type TicketUpload,
  uploadFile,
  uploadMessageFiles,
} from './upload.ts';

export interface FileRoutesOptions {
  files: FileStore & { thumbnails: Thumbnails };
  clock: Clock;
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<Authenticated>;
  patternOf: (path: string) => string;
}

type Parts = {
  params: { id: string } | undefined;
  query: TicketUpload['query'] & MessageUpload['query'] & CsvQuery;
};
type Send = (
  call: { caller: Caller; now: Date } & Parts,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>;

/** Registers the operations that carry bytes. */
export function registerFileRoutes(scope: FastifyInstance, options: FileRoutesOptions): void {
  const { files, clock } = options;
  // Only in this scope: everywhere else, a body is JSON.
  scope.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));

  const answer = (reply: FastifyReply, body: unknown) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
  const upload: Send = async ({ caller, params, query, now }, request, reply) => {
    requireOwnIdentity(caller, query);
    const given = { caller, query, body: request.raw, now };
    return answer(reply, file.parse(await uploadFile(files, { ...given, ticket: params?.id })));
  };
  const sends: { [N in keyof typeof BYTE_ROUTES]: Send } = {
    uploadFile: upload,
    uploadTicketFile: upload,
    uploadMessageFiles: async ({ caller, params, query, now }, request, reply) => {
      requireOwnIdentity(caller, query);
      const given = { caller, query, body: request.raw, now };
      const items = await uploadMessageFiles(files, { ...given, messageId: params?.id ?? '' });
      return answer(reply, uploadedFiles.parse({ items }));
    },
    downloadFile: ({ caller, params }, request, reply) =>
      sendFile(files, caller, params?.id ?? '', request, reply),
    downloadThumbnail: ({ caller, params }, request, reply) =>
      sendThumbnail(files, caller, params?.id ?? '', request, reply),
    downloadTargetReport: ({ caller, query }, _request, reply) =>
      sendTargetReport(files.db, caller, query, reply),
  };

  for (const [name, send] of Object.entries(sends)) {
    const row: Route = BYTE_ROUTES[name as keyof typeof BYTE_ROUTES];
    scope.route({
      method: row.method,
      url: options.patternOf(row.path),
      config: { slowBody: row.method === 'POST' },
      onRequest: async (request, reply) => {
        request.caller = await options.admit(request, reply);
        requireRole(row, request.caller);
        if (row.method === 'POST' && !/^multipart\/form-data;/i.test(request.headers['content-type'] ?? ''))
          throw new ServiceProblem(
            'UNSUPPORTED_MEDIA_TYPE',
            'Send the file as multipart/form-data, with one part that has a file name.',
          );
      },
      handler: async (request, reply) => {
        if (!request.caller) throw new TypeError('a route without authentication');
        const parts = validate(row, { params: request.params, query: request.query, body: undefined });
        const call = { caller: request.caller, now: clock.now(), ...(parts as Parts) };
        return send(withOpenings(call, files.tools.newId), request, reply);
      },
    });
  }
}
