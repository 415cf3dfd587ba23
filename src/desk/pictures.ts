import { createHmac, timingSafeEqual } from 'node:crypto';

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import type { Egress } from '../platform/egress.ts';
import { NOT_FOUND, type Problem, sendProblem } from '../platform/http/index.ts';
import { SIGNED_OUT } from './refusal.ts';
import type { Sessions } from './session.ts';

/** Bytes of one picture, which are held in memory while it is on its way. */
const MAX_BYTES = 10 * 1_048_576;
/** What browsers draw and nothing runs in: no SVG. */
const DRAWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;
const KEPT_SECONDS = 24 * 60 * 60;

const NOT_READ: Problem = {
  status: 502,
  code: 'SERVICE_UNAVAILABLE',
  message: 'The picture could not be read from where the message says it is.',
};

/**
 * Pictures that ticket messages name at other addresses. The browser asks the desk for them, so no other server learns
 * who reads a ticket; and only for addresses that the desk has shown, so nobody makes it call another.
 */
export interface Pictures {
  /** Where the page gets a picture; the same each time, so what is drawn already is not asked for again. */
  addressOf(url: string): string;
  /** `GET /picture`, for who is signed in. */
  serve(server: FastifyInstance, sessions: Sessions): void;
}

const query = z.object({ from: z.string().max(4_000), mark: z.string().max(100) });

/** `keys`: the first marks, all are known. */
export function createPictures(keys: readonly Buffer[], egress: Egress): Pictures {
  const markOf = (key: Buffer | undefined, url: string) =>
    createHmac('sha256', key ?? '')
      .update(`desk picture ${url}`)
      .digest('base64url');
  const isOurs = (url: string, mark: string) =>
    keys.some((key) => {
      const [known, given] = [Buffer.from(markOf(key, url)), Buffer.from(mark)];
      return known.length === given.length && timingSafeEqual(known, given);
    });

  return {
    addressOf: (url) =>
      `/desk/picture?${new URLSearchParams({ from: url, mark: markOf(keys[0], url) }).toString()}`,
    serve: (server, sessions) => {
      server.get('/picture', async (request, reply) => {
        if (!sessions.read(request)) return sendProblem(reply, SIGNED_OUT);
        const { data } = query.safeParse(request.query);
        if (!data || !isOurs(data.from, data.mark)) return sendProblem(reply, NOT_FOUND);
        const answer = await egress.download({ url: data.from, maxBytes: MAX_BYTES });
        if (answer.kind !== 'answered' || answer.status !== 200) return sendProblem(reply, NOT_READ);
        const type = (answer.contentType.split(';')[0] ?? '').trim().toLowerCase();
        if (!DRAWN.test(type)) return sendProblem(reply, NOT_READ);
        return reply
          .headers({
            'cache-control': `private, max-age=${KEPT_SECONDS}`,
            'content-security-policy': "default-src 'none'; sandbox",
            'x-content-type-options': 'nosniff',
          })
          .type(type)
          .send(answer.body);
      });
    },
  };
}
