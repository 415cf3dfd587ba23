import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import type { FastifyReply, FastifyRequest } from 'fastify';

/** Quick enough for each response; the files of the build are compressed better. */
const COMPRESSIONS = {
  br: (text: string) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text: string) => promisify(gzip)(text, { level: 5 }),
};
/** Shorter texts fit into one packet anyway. */
const FROM_CHARACTERS = 1_000;

/** Sends a text, compressed as the browser accepts it. */
export async function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
): Promise<FastifyReply> {
  reply.header('vary', 'accept-encoding');
  const accepted = request.headers['accept-encoding']?.toString() ?? '';
  const encoding = (['br', 'gzip'] as const).find((each) => new RegExp(`\\b${each}\\b`).test(accepted));
  if (!encoding || text.length < FROM_CHARACTERS) return reply.send(text);
  return reply.header('content-encoding', encoding).send(await COMPRESSIONS[encoding](text));
}
