import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

import type { Clock } from '../platform/clock.ts';
import { type Sealing, SealingError } from '../platform/sealing.ts';

/** The session of one browser. */
const session = z.object({
  /** The API key of the service that all calls are made with. */
  key: z.string().min(1),
  /** The chosen user; null is the key's own user, absent before the choice. */
  userId: z.string().nullable().optional(),
  /** Expiry, in milliseconds since 1970. */
  until: z.number(),
});
export type Session = z.output<typeof session>;

const COOKIE = 'deskbridge_session';
const FOUND = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;\\s]+)`);
/** The purpose of the encryption: no other encrypted text can be used as a session. */
const PLACE = 'desk session';
const LASTS_SECONDS = 7 * 24 * 60 * 60;

/**
 * Sessions that live in the browser alone: a cookie that only we can open, so they outlive a restart and hold in every
 * process that has the same `TOKEN_ENCRYPTION_KEY`. No script can read it, and no other site's request carries it.
 */
export interface Sessions {
  read(request: FastifyRequest): Session | undefined;
  begin(reply: FastifyReply, person: Pick<Session, 'key' | 'userId'>): void;
  end(reply: FastifyReply): void;
}

/** `secure`: browsers send the cookie over https only. */
export function createSessions(options: { sealing: Sealing; clock: Clock; secure: boolean }): Sessions {
  const { sealing, clock, secure } = options;
  const setCookie = (reply: FastifyReply, value: string, seconds: number) =>
    reply.header(
      'set-cookie',
      `${COOKIE}=${value}; Path=/desk; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure ? '; Secure' : ''}`,
    );

  return {
    read(request) {
      const sealed = FOUND.exec(request.headers.cookie ?? '')?.[1];
      if (sealed === undefined) return undefined;
      try {
        const read = session.parse(JSON.parse(sealing.open(sealed, PLACE)));
        return read.until > clock.now().getTime() ? read : undefined;
      } catch (error) {
        // Of another key, modified, or of an older format: treated as missing.
        if (error instanceof SealingError || error instanceof z.ZodError) return undefined;
        throw error;
      }
    },
    begin(reply, person) {
      const until = clock.now().getTime() + LASTS_SECONDS * 1000;
      setCookie(reply, sealing.seal(JSON.stringify({ ...person, until }), PLACE), LASTS_SECONDS);
    },
    end: (reply) => void setCookie(reply, '', 0),
  };
}
