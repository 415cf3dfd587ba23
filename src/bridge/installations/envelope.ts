import { z } from 'zod';

const id = z.string().optional().catch(undefined);
const ref = z
  .union([z.string(), z.object({ id: z.string() }).transform((one) => one.id)])
  .optional()
  .catch(undefined);

/** What an envelope says of whose it is; each kind has it elsewhere. */
const Envelope = z.object({
  team_id: id,
  context_team_id: id,
  enterprise_id: id,
  context_enterprise_id: id,
  /** A text in a slash command. */
  is_enterprise_install: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  /** Cut short to one (https://docs.slack.dev/apis/events-api). */
  authorizations: z
    .array(
      z.object({
        team_id: id,
        enterprise_id: id,
        is_enterprise_install: z.boolean().optional().catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
  event_time: z.number().optional().catch(undefined),
  channel_id: id,
  channel: ref,
  team: ref,
  enterprise: ref,
  user: z.object({ team_id: id }).optional().catch(undefined),
  view: z.object({ team_id: id, app_installed_team_id: id }).optional().catch(undefined),
  event: z
    .object({
      type: z.string(),
      channel: ref,
      item: z.object({ channel: id }).optional().catch(undefined),
      tokens: z
        .object({ bot: z.array(z.string()) })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type Envelope = z.infer<typeof Envelope>;

export interface Address {
  /** The workspaces it may be of, what says it best first. */
  teams: string[];
  /** The organisation whose installation it is for; undefined where it is a workspace's own. */
  organisation: string | undefined;
  /** Where it happened; undefined where it was in no conversation. */
  channel: string | undefined;
  /**
   * What it says of the installation itself: the app was removed (`at` is when, at the latest), or an organisation lets
   * it into other workspaces than before.
   */
  news: { kind: 'removed'; at: Date } | { kind: 'access' } | undefined;
}

/**
 * Whose an envelope is. The workspace in which the app runs (the authorization, `context_team_id`) comes before the one in
 * which it happened (`team_id`), which in a shared channel may be another's. Where an organisation has installed the app,
 * interactions name no `team`: only who acted, and in which window (https://docs.slack.dev/enterprise).
 */
export function addressOf(body: unknown, now: Date): Address {
  const envelope = Envelope.safeParse(body).data ?? {};
  const teams = [
    ...installingTeams(envelope),
    envelope.team_id,
    envelope.team,
    envelope.view?.team_id,
    envelope.user?.team_id,
  ];
  const { event } = envelope;
  const channel = event?.channel ?? event?.item?.channel ?? envelope.channel_id ?? envelope.channel;
  return {
    teams: [...new Set(teams.filter((team): team is string => team?.startsWith('T') === true))],
    organisation: organisationOf(envelope),
    // Of a draft it is a word.
    channel:
      channel !== undefined && /^[CDG][A-Z0-9]+$/.test(channel) && channel !== 'COMPOSER'
        ? channel
        : undefined,
    news: newsOf(envelope, now),
  };
}

/**
 * The workspace in which the app runs, where an envelope says so. The authorization knows best: in a channel that another
 * company hosts, `context_team_id` is the host, which may have installed the app as well.
 */
function installingTeams({ context_team_id, authorizations, view }: Envelope): (string | undefined)[] {
  return [authorizations?.[0]?.team_id, context_team_id, view?.app_installed_team_id];
}

function organisationOf(envelope: Envelope): string | undefined {
  const authorization = envelope.authorizations?.[0];
  const named =
    envelope.enterprise_id ??
    envelope.enterprise ??
    authorization?.enterprise_id ??
    envelope.context_enterprise_id;
  const isOrganisations = envelope.is_enterprise_install ?? authorization?.is_enterprise_install ?? false;
  // What concerns all of its workspaces is of none of them.
  return isOrganisations || (envelope.team_id === undefined && envelope.team === undefined)
    ? named
    : undefined;
}

function newsOf({ event, event_time }: Envelope, now: Date): Address['news'] {
  switch (event?.type) {
    case 'team_access_granted':
    case 'team_access_revoked':
      return { kind: 'access' };
    case 'tokens_revoked':
      // People's tokens are none of ours (https://docs.slack.dev/reference/events/tokens_revoked).
      if ((event.tokens?.bot.length ?? 0) === 0) return undefined;
      break;
    case 'app_uninstalled':
      break;
    default:
      return undefined;
  }
  // Chat tells the second in which it was.
  return { kind: 'removed', at: event_time === undefined ? now : new Date((event_time + 1) * 1000) };
}

/**
 * The envelope as one of `team`, for an app that this workspace alone has installed. In a shared channel `team_id` is the
 * workspace of whoever acted, or the one that hosts the channel (B63). One that names another workspace as the
 * installing one is left as it is.
 */
export function addressedTo(body: unknown, team: string): unknown {
  const envelope = Envelope.safeParse(body).data ?? {};
  const installing = installingTeams(envelope).filter((one) => one?.startsWith('T'));
  return installing.length === 0 || installing.includes(team) ? readdressed(body, team) : body;
}

/** The same envelope as of `team`: everything behind the door is told apart by the workspace that it is worked in. */
export function readdressed(body: unknown, team: string): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if ('team_id' in body) return body.team_id === team ? body : { ...body, team_id: team };
  const known = 'team' in body && typeof body.team === 'object' ? body.team : undefined;
  return { ...body, team: { ...known, id: team } };
}
