import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';

import { storable } from '../workspace/storable.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import {
  allow,
  type Asked,
  askedIn,
  authorizeQuery,
  AuthorizeRefused,
  cancel,
  installers,
  organisationInstallers,
} from './authorize.ts';
import { consentPage, policy, refusalPage } from './page.ts';

/** What the page's form sends: the question as it was put, for what and who answers (`T… U…`, `E… U…`), and how. */
const decision = authorizeQuery.extend({
  as: z
    .string()
    .regex(/^\S+ \S+$/)
    .optional(),
  decision: z.enum(['allow', 'cancel']),
});

/** `/oauth/v2/authorize` (docs.slack.dev/authentication/installing-with-oauth): where an app sends people to install it. */
export function serveOAuth(server: FastifyInstance, workspaces: Workspaces): void {
  server.get('/oauth/v2/authorize', (request, reply) => {
    const query = authorizeQuery.safeParse(storable(request.query));
    if (!query.success) return refuse(reply, 'invalid_arguments');
    return orRefuse(reply, async () => {
      const asked = askedIn(workspaces, query.data);
      return show(reply, 200, consentPage(workspaces, asked, query.data), asked);
    });
  });

  server.post('/oauth/v2/authorize', (request, reply) => {
    const said = decision.safeParse(storable(request.body));
    if (!said.success) return refuse(reply, 'invalid_arguments');
    return orRefuse(reply, async () => {
      const asked = askedIn(workspaces, said.data);
      if (said.data.decision === 'cancel') return reply.redirect(cancel(asked));
      const [placeId = '', userId = ''] = (said.data.as ?? '').split(' ');
      const organisation = workspaces.organisations.get(placeId);
      const workspace = organisation
        ? workspaces.all.find(
            ({ directory }) =>
              directory.team.organisation?.id === organisation.id && directory.people.has(userId),
          )
        : workspaces.find(placeId);
      const may = organisation ? organisationInstallers : installers;
      const person = workspace && may(workspace.directory).find(({ id }) => id === userId);
      if (!person) return refuse(reply, 'invalid_arguments');
      return reply.redirect(allow(workspace, asked, person, organisation));
    });
  });
}

async function orRefuse(reply: FastifyReply, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthorizeRefused) return refuse(reply, error.code);
    throw error;
  }
}

function refuse(reply: FastifyReply, code: string): FastifyReply {
  return show(reply, 400, refusalPage(code));
}

function show(reply: FastifyReply, status: number, html: string, asked?: Asked): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policy(asked?.target))
    .header('referrer-policy', 'same-origin')
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-store')
    .send(html);
}
