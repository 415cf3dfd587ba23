import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { formParts, isForm } from './form.ts';
import { LIMITS } from './limits.ts';
import { isPicture, kindOf } from './workspace/files-kind.ts';
import {
  bytesOf,
  FileLimitError,
  findFile,
  keepBytes,
  maySee,
  type StoredFile,
} from './workspace/files-store.ts';
import type { Workspace } from './workspace/workspace.ts';

/** What a form has around its file. */
const FORM_OVERHEAD = 64 * 1024;

/** Addresses of files as Slack has them: bytes go to `/upload/v1/…`, and come from `/files-pri/…` with a token. */
export function serveFiles(server: FastifyInstance, workspace: Workspace): void {
  server.register(async (uploads) => {
    // Any kind of body is the file's bytes, forms and JSON among them.
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: LIMITS.fileBytes + FORM_OVERHEAD },
      (_request, body, done) => done(null, body),
    );
    uploads.post<{ Params: { secret: string } }>('/upload/v1/:secret', async (request, reply) => {
      const bytes = await bytesIn(request);
      if (!bytes) return reply.code(400).type('text/plain').send('no file in the body');
      try {
        const file = await keepBytes(workspace, request.params.secret, bytes);
        if (!file) return await reply.code(404).type('text/plain').send('not found');
        return await reply.type('text/plain').send(`OK - ${bytes.length}`);
      } catch (error) {
        if (!(error instanceof FileLimitError)) throw error;
        return reply.code(413).type('text/plain').send(error.message);
      }
    });
  });

  for (const folder of ['files-pri', 'files-tmb'])
    server.get<{ Params: { ids: string; '*': string } }>(`/${folder}/:ids/*`, (request, reply) =>
      sendToApp(workspace, request, reply, /(F[A-Z0-9]+)$/.exec(request.params.ids)?.[1] ?? ''),
    );

  server.get('/signin', (_request, reply) =>
    reply
      .type('text/html')
      .send(
        '<!DOCTYPE html><html lang="en-US"><head><title>Sign in | Slack</title></head><body></body></html>',
      ),
  );

  server.get<{ Params: { id: string } }>('/_control/files/:id', async (request, reply) => {
    const file = await findFile(workspace, request.params.id);
    const bytes = file && (await bytesOf(workspace, file.id));
    if (!bytes) return reply.code(404).send({ error: 'there is no such file' });
    return sendBytes(reply, file, bytes);
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
    // It calls itself a form and is none.
    return undefined;
  }
}

/** Only with the token of an app that may see the file; everybody else meets the page to sign in. */
async function sendToApp(
  workspace: Workspace,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
): Promise<FastifyReply> {
  const bearer = /^Bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const app = bearer === undefined ? undefined : workspace.directory.appByBotToken(bearer);
  const file = await findFile(workspace, id);
  const scoped = app?.scopes === undefined || app.scopes.has('files:read');
  if (!app || !scoped || (file && !maySee(workspace, app, file)))
    return reply.redirect(`/signin?redir=${encodeURIComponent(request.url)}`);
  const bytes = file && (await bytesOf(workspace, file.id));
  if (!bytes) return reply.code(404).type('text/html').send('<!DOCTYPE html><title>Not found</title>');
  return sendBytes(reply, file, bytes);
}

/** As what it is, but never run: a page or a drawing with scripts stays bytes. */
function sendBytes(reply: FastifyReply, file: StoredFile, bytes: Buffer): FastifyReply {
  const kind = kindOf(file.name, file.snippet_type);
  return reply
    .type(kind.mimetype)
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('x-content-type-options', 'nosniff')
    .header('content-disposition', isPicture(kind) ? 'inline' : 'attachment')
    .send(bytes);
}
