import { Busboy } from '@fastify/busboy';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

import { frameworkProblem } from '../platform/http/index.ts';
import { type CallFaults, misbehave } from './faults/call-faults.ts';
import { isResponseUrl, spendResponseUrl, respondingIn } from './interactions/response-urls.ts';
import { storable } from './values.ts';
import { SlackError } from './web-api/method.ts';
import type { Workspace } from './workspace/workspace.ts';
import type { Workspaces } from './workspace/workspaces.ts';

/** Slack takes up to about 4 MB in one call; a file goes elsewhere. */
const BODY_LIMIT = 4 * 1024 * 1024;

/** Bytes that are read of a request whose headers and address show no right to send it. */
export const KEYLESS_BYTES = 256 * 1024;

/** The HTTP server without its routes: JSON and form bodies. */
export function createHttp(): FastifyInstance {
  const server = Fastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 200 },
  });
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(String(body))));
    },
  );
  server.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const parts = await formParts(request.headers['content-type'] ?? '', body).catch((cause: unknown) => {
        throw new UnreadableForm(cause);
      });
      return Object.fromEntries(
        parts.flatMap((part) => ('text' in part ? [[part.name, part.text] as const] : [])),
      );
    },
  );
  // An address that does not exist is answered before a body is read.
  server.addHook('preParsing', async (request, reply) => {
    if (request.is404) await reply.code(404).send({ error: 'not_found' });
  });
  server.setErrorHandler((error, _request, reply) => {
    const { status, code } = frameworkProblem(error);
    if (status >= 500) throw error;
    return reply.code(status).send({ error: code.toLowerCase() });
  });
  return server;
}

/** A body that is not the form that its content type says. */
class UnreadableForm extends Error {
  override readonly name = 'UnreadableForm';
  readonly code = 'FST_SANDBOX_FORM';
  readonly statusCode = 400;

  constructor(cause: unknown) {
    super('the body is no form', { cause });
  }
}

interface ResponseAnswer {
  status: number;
  body: 'ok' | { ok: false; error: string };
}

/** `POST /response/:token`: response addresses; Slack answers `ok`, or 404 with the reason. */
export function serveResponses(server: FastifyInstance, workspaces: Workspaces, faults: CallFaults): void {
  const isKnown = async (
    { params, headers }: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
  ) => {
    const isSmall = Number(headers['content-length'] ?? Infinity) <= KEYLESS_BYTES;
    if (isSmall || isResponseUrl(workspaces, params.token)) return undefined;
    return reply.code(404).send({ ok: false, error: 'expired_url' });
  };
  // The large body of an unknown address is not read.
  server.post<{ Params: { token: string } }>(
    '/response/:token',
    { onRequest: isKnown },
    async (request, reply) => {
      const args = storable(request.body) as Record<string, unknown>;
      const workspace = respondingIn(workspaces, request.params.token);
      const { clock, journal } = workspace;
      const team = workspace.directory.team.id;
      const started = clock.now().getTime();
      const record = (answer: ResponseAnswer | undefined, fault?: string) => {
        const error = answer ? (answer.body === 'ok' ? undefined : answer.body.error) : fault;
        journal.record('api_call', {
          method: 'response_url',
          args,
          ok: answer?.body === 'ok',
          ...(error === undefined ? {} : { error }),
          ...(answer ? { answer: answer.body } : {}),
          ...(fault === undefined ? {} : { fault }),
          team,
          ms: clock.now().getTime() - started,
        });
      };
      const work = async () => answerOf(workspace, request.params.token, args);
      const send = ({ status, body }: ResponseAnswer) =>
        body === 'ok' ? reply.type('text/html').send(body) : reply.code(status).send(body);

      const fault = faults.take('response_url', args, team);
      if (!fault) {
        const answer = await work();
        record(answer);
        return send(answer);
      }
      journal.record('fault', { fault: fault.kind, method: 'response_url' });
      record(await misbehave(fault, { request, reply, faults, work, send }), fault.kind);
      return reply;
    },
  );
}

function answerOf(workspace: Workspace, token: string, args: unknown): ResponseAnswer {
  try {
    spendResponseUrl(workspace, token, args);
    return { status: 200, body: 'ok' };
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    const gone = error.code === 'expired_url' || error.code === 'used_url';
    return { status: gone ? 404 : 200, body: { ok: false, error: error.code } };
  }
}

/** One part of a form: a field's text, or a file. */
export type FormPart = { name: string; text: string } | { name: string; fileName: string; bytes: Buffer };

/**
 * Reads a `multipart/form-data` body, in the order of its parts.
 *
 * @throws {Error} when the body is no such form.
 */
export async function formParts(contentType: string, body: Buffer): Promise<FormPart[]> {
  const parts: FormPart[] = [];
  await new Promise<void>((resolve, reject) => {
    const reader = new Busboy({ headers: { 'content-type': contentType } });
    reader.on('field', (name, text) => parts.push({ name, text }));
    reader.on('file', (name, stream, fileName) => {
      const part = { name, fileName, bytes: Buffer.alloc(0) };
      parts.push(part);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => (part.bytes = Buffer.concat(chunks)));
      stream.on('error', reject);
    });
    reader.on('finish', resolve);
    reader.on('error', reject);
    reader.end(body);
  });
  return parts;
}

export function isForm(contentType: string | undefined): contentType is string {
  return /^multipart\/form-data\b/i.test(contentType ?? '');
}
