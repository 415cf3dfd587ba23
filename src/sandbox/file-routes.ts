import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { rangeOf } from '../platform/http/index.ts';
import { formParts, isForm } from './http.ts';
import { LIMITS } from './limits.ts';
import {
  bytesOf,
  FileLimitError,
  findFile,
  isPicture,
  keepBytes,
  kindOf,
  maySee,
  expectedUpload,
  type StoredFile,
} from './workspace/files.ts';
import { findMessage, permalinkOf } from './workspace/message-store.ts';
import { authorizationIn, callerOf } from './web-api/caller.ts';
import { SlackError } from './web-api/method.ts';
import type { Workspaces } from './workspace/workspaces.ts';

/** Overhead of a form around its file. */
const FORM_OVERHEAD = 64 * 1024;

/** Addresses of files as Slack has them: bytes go to `/upload/v1/…`, and come from `/files-pri/…` with a token. */
export function serveFiles(server: FastifyInstance, workspaces: Workspaces): void {
  server.register(async (uploads) => {
    // Any kind of body is the file's bytes, forms and JSON among them.
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: LIMITS.fileBytes + FORM_OVERHEAD },
      (_request, body, done) => done(null, body),
    );
    const isUploadExpected = async (
      { params }: FastifyRequest<{ Params: { secret: string } }>,
      reply: FastifyReply,
    ) => {
      if (expectedUpload(workspaces.default, params.secret)) return undefined;
      return reply.code(404).type('text/plain').send('not found');
    };
    // An unknown address is refused before the body is read.
    uploads.post<{ Params: { secret: string } }>(
      '/upload/v1/:secret',
      { onRequest: isUploadExpected },
      async (request, reply) => {
        const bytes = await bytesIn(request);
        if (!bytes) return reply.code(400).type('text/plain').send('no file in the body');
        try {
          const file = keepBytes(workspaces.default, request.params.secret, bytes);
          if (!file) return await reply.code(404).type('text/plain').send('not found');
          return await reply.type('text/plain').send(`OK - ${bytes.length}`);
        } catch (error) {
          if (!(error instanceof FileLimitError)) throw error;
          return reply.code(413).type('text/plain').send(error.message);
        }
      },
    );
  });

  for (const folder of ['files-pri', 'files-tmb'])
    server.get<{ Params: { ids: string; '*': string } }>(`/${folder}/:ids/*`, (request, reply) =>
      sendToApp(workspaces, request, reply, /(F[A-Z0-9]+)$/.exec(request.params.ids)?.[1] ?? ''),
    );

  // A permalink opens the first message that shows the file, in the page.
  server.get<{ Params: { file: string } }>('/files/:user/:file/:name', (request, reply) => {
    for (const workspace of workspaces.all) {
      const [share] = findFile(workspace, request.params.file)?.shares ?? [];
      const message = share && findMessage(workspace.db, share.channel, share.ts);
      if (message) return reply.redirect(permalinkOf('', message));
    }
    return reply.code(404).type('text/plain').send('No message shows such a file.');
  });

  server.get('/signin', (_request, reply) =>
    reply
      .type('text/html')
      .send(
        '<!DOCTYPE html><html lang="en-US"><head><title>Sign in | Slack</title></head><body></body></html>',
      ),
  );

  server.get<{ Params: { id: string } }>('/_control/files/:id', async (request, reply) => {
    for (const workspace of workspaces.all) {
      const file = findFile(workspace, request.params.id);
      const bytes = file && bytesOf(workspace, file.id);
      if (bytes) return sendBytes(request, reply, file, bytes);
    }
    return reply.code(404).send({ error: 'there is no such file' });
  });
}

async function bytesIn(request: FastifyRequest): Promise<Buffer | undefined> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const type = request.headers['content-type'];
  if (!isForm(type)) return body;
  try {
    const parts = await formParts(type, body);
    return parts.flatMap((part) => ('bytes' in part ? [part.bytes] : []))[0];
  } catch {
    // Its content type says form, but it is not one.
    return undefined;
  }
}

/** Requires the token of an app that may see the file; other requests get the sign-in page. */
async function sendToApp(
  workspaces: Workspaces,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
): Promise<FastifyReply> {
  const caller = botOf(workspaces, request);
  const { workspace, app } = caller ?? {};
  const file = workspace && findFile(workspace, id);
  const scoped = app?.scopes === undefined || app.scopes.has('files:read');
  if (!app || !workspace || !scoped || (file && !maySee(workspace, app, file)))
    return reply.redirect(`/signin?redir=${encodeURIComponent(request.url)}`);
  const bytes = file && bytesOf(workspace, file.id);
  if (!bytes) return reply.code(404).type('text/html').send('<!DOCTYPE html><title>Not found</title>');
  return sendBytes(request, reply, file, bytes);
}

function botOf(workspaces: Workspaces, request: FastifyRequest) {
  try {
    const caller = callerOf(workspaces, authorizationIn(request.headers.authorization).bearer);
    return caller.kind === 'bot' ? caller : undefined;
  } catch (error) {
    if (error instanceof SlackError) return undefined;
    throw error;
  }
}

/** Served with its own type, but never executed: a page or a drawing with scripts stays bytes. */
function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
  bytes: Buffer,
): FastifyReply {
  const kind = kindOf(file.name, file.snippet_type);
  reply.header('accept-ranges', 'bytes');
  const range = rangeOf(request.headers.range, bytes.length);
  if (range === 'unsatisfiable')
    return reply.code(416).header('content-range', `bytes */${bytes.length}`).send();
  if (range) reply.code(206).header('content-range', `bytes ${range.from}-${range.to}/${bytes.length}`);
  return reply
    .type(kind.mimetype)
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('x-content-type-options', 'nosniff')
    .header('content-disposition', isPicture(kind) ? 'inline' : 'attachment')
    .send(range ? bytes.subarray(range.from, range.to + 1) : bytes);
}
