import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

import { isFresh, verifySlack } from '../../../platform/signatures.ts';
import { trustOf } from '../../chat-teams/trust.ts';
import type { ServiceDb } from '../../handler.ts';
import type { Authenticated } from '../../keys/authenticated.ts';
import { ServiceProblem } from '../../problem.ts';
import { callerOfPerson } from '../../sessions/caller-with-session.ts';

/** What Slack says of who asks (docs.slack.dev/ai/slackbot-mcp-client). */
const identified = z.object({
  params: z.object({
    _meta: z.object({
      slack: z.object({
        user_id: z.string().regex(/^[UW][A-Z0-9]{1,30}$/),
        // Null for an organisation: then nobody knows whose workspace it is.
        team_id: z.string().regex(/^[TE][A-Z0-9]{1,30}$/),
      }),
    }),
  }),
});

const headersOf = ({ headers }: FastifyRequest) => ({
  timestamp: String(headers['x-slack-request-timestamp'] ?? ''),
  signature: headers['x-slack-signature'],
});

/** Returns whether a request says that Slack signed it, as far as its headers show. */
export function isOfSlack(request: FastifyRequest, now: Date): boolean {
  const { timestamp, signature } = headersOf(request);
  return typeof signature === 'string' && isFresh(timestamp, now);
}

/** Throws 401 unless Slack signed a body. */
export function requireSlackSignature(request: FastifyRequest, body: Buffer, secret: string): void {
  const { timestamp, signature } = headersOf(request);
  if (typeof signature !== 'string' || !verifySlack(timestamp, body, signature, secret))
    throw new ServiceProblem('UNAUTHORIZED', 'x-slack-signature was not made with the signing secret.');
}

/**
 * Returns the person for whom Slack asks.
 * @throws 403 unless it is one whom the service knows, with an account of a Slack workspace that is trusted.
 */
export async function callerOfSlack(db: ServiceDb, body: unknown): Promise<Authenticated> {
  const { data } = identified.safeParse(body);
  if (!data)
    throw new ServiceProblem('FORBIDDEN', 'Slack does not say which person of which workspace asks.');
  const { user_id: userId, team_id: teamId } = data.params._meta.slack;
  const isTrusted = (await trustOf(db, { teamId })) === 'trusted';
  const row = isTrusted ? await personOf(db, userId, teamId) : undefined;
  if (!row) throw new ServiceProblem('FORBIDDEN', 'This Slack account is not one of a person here.');
  return callerOfPerson({ ...row, person_id: row.id }, `slack ${teamId} ${userId}`);
}

/** In several workspaces, the oldest one counts, as when people sign in. */
function personOf(db: ServiceDb, userId: string, teamId: string) {
  return db
    .selectFrom('chat_user as c')
    .innerJoin('person as p', (on) =>
      on.onRef('p.workspace_id', '=', 'c.workspace_id').onRef('p.id', '=', 'c.person_id'),
    )
    .innerJoin('workspace as w', 'w.id', 'p.workspace_id')
    .select(['p.workspace_id', 'p.id', 'p.role', 'p.queue_ids'])
    .where('c.chat_user_id', '=', userId)
    .where('c.chat_team_id', '=', teamId)
    .where('w.deleted_at', 'is', null)
    .where('p.is_bot', '=', false)
    .where('p.deactivated_at', 'is', null)
    .where('p.erased_at', 'is', null)
    .orderBy('w.created_at')
    .orderBy('w.id')
    .limit(1)
    .executeTakeFirst();
}
