import type { App, Channel, Organisation, Team } from './directory.ts';

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
  isExtShared: boolean,
): Record<string, unknown> {
  return {
    token: 'sandbox-verification-token',
    team_id: team.id,
    context_team_id: team.id,
    context_enterprise_id: team.organisation?.id ?? null,
    ...(team.organisation ? { enterprise_id: team.organisation.id } : {}),
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
    is_ext_shared_channel: isExtShared,
    event_context: `4-${eventId}`,
  };
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
