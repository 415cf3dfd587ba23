import { createHmac, timingSafeEqual } from 'node:crypto';

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import type { Egress } from '../platform/egress.ts';
import { NOT_FOUND, type Problem, sendProblem } from '../platform/http/index.ts';
import { SIGNED_OUT } from './refusal.ts';
import type { Sessions } from './session.ts';

/** Maximum bytes of one picture, which is held in memory while it is sent. */
const MAX_BYTES = 10 * 1_048_576;
/** Types that browsers draw without executing anything: no SVG. */
const DRAWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;
const KEPT_SECONDS = 24 * 60 * 60;

const NOT_READ: Problem = {
  status: 502,
  code: 'SERVICE_UNAVAILABLE',
  message: 'The picture could not be read from where the message says it is.',
};

/**
 * Proxies external pictures of ticket messages, so that no other server learns who reads a ticket; only for URLs that
 * the desk has shown, so that it cannot be made to call others.
 */
export interface Pictures {
  /** Returns the proxy URL of a picture; always the same, so that the browser can cache it. */
  addressOf(url: string): string;
  /** `GET /picture`, for signed-in users. */
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
        if (!(await sessions.check(request))) return sendProblem(reply, SIGNED_OUT);
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
