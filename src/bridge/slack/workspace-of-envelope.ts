import { z } from 'zod';

const id = z.string().optional().catch(undefined);
const ref = z
  .union([z.string(), z.object({ id: z.string() }).transform((one) => one.id)])
  .optional()
  .catch(undefined);

/** The parts of an envelope that identify its workspace. Each kind of envelope has them in other fields. */
const Envelope = z.object({
  team_id: id,
  context_team_id: id,
  enterprise_id: id,
  context_enterprise_id: id,
  /** A string in a slash command. */
  is_enterprise_install: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  /** Slack sends only the first one (https://docs.slack.dev/apis/events-api). */
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
  view: z.object({ team_id: id, app_installed_team_id: id, bot_id: id }).optional().catch(undefined),
  type: id,
  command: id,
  is_ext_shared_channel: z.boolean().optional().catch(undefined),
  /** The message with the pressed button; `bot_id` is the bot that posted it. */
  message: z.object({ bot_id: id }).optional().catch(undefined),
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

export type Address = ReturnType<typeof addressOf>;

/**
 * Returns the workspace of an envelope. The workspace in which the app runs (the authorization, `context_team_id`)
 * comes before the one in which it happened (`team_id`), which may differ in a shared channel. If an organisation has
 * installed the app, interactions have no `team`: only the user and the view (https://docs.slack.dev/enterprise).
 */
export function addressOf(body: unknown, now: Date) {
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
    /** The possible workspaces, most reliable first. */
    teams: [...new Set(teams.filter((team): team is string => team?.startsWith('T') === true))],
    /** The organisation that installed the app; undefined for a workspace's own installation. */
    organisation: organisationOf(envelope),
    // In an event about a draft the channel is the word COMPOSER.
    channel:
      channel !== undefined && /^[CDG][A-Z0-9]+$/.test(channel) && channel !== 'COMPOSER'
        ? channel
        : undefined,
    installationChange: installationChangeOf(envelope, now),
  };
}

/**
 * Returns the workspace in which the app runs, if an envelope says so. The authorization is the most reliable: in a
 * channel hosted by another company, `context_team_id` is the host, which may have installed the app as well.
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
  // An event about all workspaces belongs to none of them.
  return isOrganisations || (envelope.team_id === undefined && envelope.team === undefined)
    ? named
    : undefined;
}

/**
 * Returns the change of the installation that an envelope reports: the app was removed, no later than `at`, or the
 * organisation changed the workspaces in which it is allowed.
 */
function installationChangeOf(
  { event, event_time }: Envelope,
  now: Date,
): { kind: 'removed'; at: Date } | { kind: 'access' } | undefined {
  switch (event?.type) {
    case 'team_access_granted':
    case 'team_access_revoked':
      return { kind: 'access' };
    case 'tokens_revoked':
      // User tokens are not ours (https://docs.slack.dev/reference/events/tokens_revoked).
      if ((event.tokens?.bot.length ?? 0) === 0) return undefined;
      break;
    case 'app_uninstalled':
      break;
    default:
      return undefined;
  }
  // Slack's time has whole seconds.
  return { kind: 'removed', at: event_time === undefined ? now : new Date((event_time + 1) * 1000) };
}

/** The bot of an app that only one workspace, or one organisation, has installed. */
export interface InstalledBot {
  /** The id of the workspace; of the organisation, if its token is for several workspaces. */
  team: string;
  botId: string;
}

/**
 * Returns an envelope as one of the bot's workspace; undefined if it belongs to another workspace that has the same
 * app, whose users this bridge does not know. In a shared channel `team_id` and `team` are the user's workspace or the
 * channel's host (B63). They decide only where no user of another organisation can act: for commands and shortcuts,
 * which only users of the installing workspace have, and for events without an authorization. A button or modal belongs
 * to the bot that posted or opened it.
 */
export function asEnvelopeOf(body: unknown, bot: InstalledBot): unknown {
  const envelope = Envelope.safeParse(body).data ?? {};
  return belongsTo(envelope, bot) ? withTeam(body, bot.team) : undefined;
}

function belongsTo(envelope: Envelope, { team, botId }: InstalledBot): boolean {
  // An organisation's token is for all of its workspaces.
  if (!team.startsWith('T')) return true;
  const named = installingTeams(envelope).filter((one) => one?.startsWith('T'));
  if (named.length > 0) return named.includes(team);
  const { event, message, view, command, type, team_id, team: acting, is_ext_shared_channel } = envelope;
  const poster = message?.bot_id ?? view?.bot_id;
  if (poster !== undefined && ON_BOT_CONTENT.has(type)) return poster === botId;
  const from = team_id ?? acting;
  const isShared = is_ext_shared_channel === true;
  const decides = command !== undefined || OF_MEMBERS.has(type) || (event !== undefined && !isShared);
  return !decides || from === undefined || from === team;
}

/** Interactions with a message or modal of a bot. */
const ON_BOT_CONTENT: ReadonlySet<string | undefined> = new Set([
  'block_actions',
  'block_suggestion',
  'interactive_message',
  'view_submission',
  'view_closed',
]);
/** Interactions that Slack offers only to members of the installing workspace. */
const OF_MEMBERS: ReadonlySet<string | undefined> = new Set(['shortcut', 'message_action']);

/** Returns an envelope with `team` as its workspace. Everything after this is separated by workspace. */
export function withTeam(body: unknown, team: string): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if ('team_id' in body) return body.team_id === team ? body : { ...body, team_id: team };
  const known = 'team' in body && typeof body.team === 'object' ? body.team : undefined;
  return { ...body, team: { ...known, id: team } };
}
