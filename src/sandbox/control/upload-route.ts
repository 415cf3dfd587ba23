import type { FastifyInstance, FastifyRequest } from 'fastify';

import { formParts, isForm } from '../http.ts';
import { LIMITS } from '../limits.ts';
import type { Control } from './control.ts';
import { ControlError } from './operation.ts';
import { sendResult, inTeam, teamIn } from './routes.ts';

/** One full file as Base64 with what stands around it; several smaller ones fit in as well. */
const BODY_LIMIT = Math.ceil(LIMITS.fileBytes * 1.4);

/**
 * `POST /_control/upload`: JSON with the files' bytes in Base64, or a form whose file parts are the files and whose
 * other fields are those of the JSON. Without a `channel` the files are for a form and shown nowhere.
 */
export function serveUpload(server: FastifyInstance, control: Control): void {
  server.register(async (uploads) => {
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser(
      ['application/json', 'multipart/form-data'],
      { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
      (_request, body, done) => done(null, body),
    );
    uploads.post('/_control/upload', (request, reply) =>
      sendResult(reply, async () => {
        const { team, rest } = teamIn(await requestIn(request));
        const here = inTeam(control, team);
        return isForForm(rest) ? here.bringFiles(rest as never) : here.upload(rest as never);
      }),
    );
  });
}

function isForForm(asked: unknown): boolean {
  return typeof asked === 'object' && asked !== null && !('channel' in asked);
}

async function requestIn(request: FastifyRequest): Promise<unknown> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const type = request.headers['content-type'];
  try {
    if (!isForm(type)) return JSON.parse(body.toString('utf8')) as unknown;
    const parts = await formParts(type, body);
    const fields = parts.flatMap((part) => ('text' in part ? [[part.name, part.text] as const] : []));
    const files = parts.flatMap((part) =>
      'bytes' in part ? [{ name: part.fileName, content: part.bytes }] : [],
    );
    return { ...Object.fromEntries(fields), files };
  } catch (error) {
    throw new ControlError('send JSON or a form with files', { cause: error });
  }
}
