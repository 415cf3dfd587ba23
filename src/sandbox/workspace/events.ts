import { type App, type Channel, isExtShared, type Organisation, type Team } from './directory.ts';

/** An event as apps get it (docs.slack.dev/reference/events): its type and whatever that type carries. */
export type EventBody = { type: string } & Record<string, unknown>;

/** `channel_type` of message events, by the kind of conversation. */
export function channelType(channel: Channel): string {
  return channel.kind;
}

/** The outer body of an event (docs.slack.dev/apis/events-api, "Callback field overview"). */
export function eventCallback(
  team: Team,
  app: App,
  event: EventBody,
  eventId: string,
  now: Date,
  channel: Channel | undefined,
): Record<string, unknown> {
  return {
    token: 'sandbox-verification-token',
    ...teamsOf(team, event, channel),
    api_app_id: app.id,
    event,
    type: 'event_callback',
    event_id: eventId,
    event_time: Math.floor(now.getTime() / 1000),
    authorizations: [
      {
        enterprise_id: team.organisation?.id ?? null,
        team_id: team.id,
        user_id: app.botUserId,
        is_bot: true,
        is_enterprise_install: app.byOrganisation,
      },
    ],
    is_ext_shared_channel: channel !== undefined && isExtShared(channel),
    event_context: `4-${eventId}`,
  };
}

/**
 * The workspace in which an event happened (`team_id`), and the one through which it comes (`context_team_id`). In a
 * channel shared with another organisation neither need be the app's own: only `authorizations` says that
 * (slack-facts.md, "Slack Connect").
 */
function teamsOf(team: Team, event: EventBody, channel: Channel | undefined) {
  const own = team.id;
  if (channel === undefined || !isExtShared(channel)) return withOrganisations(team, own, own);
  const host = channel.hostTeamId ?? own;
  switch (event.type) {
    case 'message':
      return withOrganisations(team, writerTeam(event) ?? own, host);
    case 'member_joined_channel':
    case 'member_left_channel':
      return withOrganisations(team, host, String(event['team']));
    case 'app_mention':
      return { team_id: own, ...(team.organisation ? { enterprise_id: team.organisation.id } : {}) };
    case 'channel_shared':
    case 'channel_unshared':
      return withOrganisations(team, own, own);
    default:
      return withOrganisations(team, host, host);
  }
}

function withOrganisations({ id, organisation }: Team, team: string, context: string) {
  const own = (one: string) => (one === id ? organisation?.id : undefined);
  const enterprise = own(team);
  return {
    team_id: team,
    context_team_id: context,
    context_enterprise_id: own(context) ?? null,
    ...(enterprise === undefined ? {} : { enterprise_id: enterprise }),
  };
}

/** The workspace of who wrote a message; undefined for a post under a name of its own. */
function writerTeam(event: EventBody): string | undefined {
  const [team] = [event, event['message'], event['previous_message']]
    .map((one) => (one as { team?: unknown } | undefined)?.team)
    .filter((one) => typeof one === 'string');
  return team;
}

/** The outer body of an event about an organisation's installation: of none of its workspaces. */
export function organisationCallback(
  organisation: Organisation,
  app: App,
  event: EventBody,
  eventId: string,
  now: Date,
): Record<string, unknown> {
  return {
    token: 'sandbox-verification-token',
    team_id: null,
    enterprise_id: organisation.id,
    context_team_id: null,
    context_enterprise_id: organisation.id,
    api_app_id: app.id,
    event,
    type: 'event_callback',
    event_id: eventId,
    event_time: Math.floor(now.getTime() / 1000),
    authorizations: [
      {
        enterprise_id: organisation.id,
        team_id: null,
        user_id: app.botUserId,
        is_bot: true,
        is_enterprise_install: true,
      },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${eventId}`,
  };
}
