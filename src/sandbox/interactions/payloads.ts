import type { ApiView, StateValues } from '../views/view.ts';
import type { JsonObject } from '../workspace/content.ts';
import type { App, Channel, Person, Team } from '../workspace/directory.ts';
import type { ApiMessage } from '../workspace/message-store.ts';
import type { Outcome } from '../workspace/workspace.ts';

/** The `user` of an interactive payload. */
function payloadUser(team: Team, person: Person) {
  return { id: person.id, username: person.name, name: person.name, team_id: person.teamId ?? team.id };
}

/**
 * The workspace of an action in a modal: the person's own, even if the app of another organisation opened it
 * (slackapi/bolt-js issue 1614). Actions on messages belong to the app's workspace.
 */
export function homeOf(team: Team, { teamId }: Person): Team {
  return teamId === undefined ? team : { id: teamId, name: teamId, domain: teamId.toLowerCase() };
}

/** The common fields of interactive payloads (docs.slack.dev/reference/interaction-payloads). */
export function payloadFrame(team: Team, app: App, person: Person) {
  return {
    user: payloadUser(team, person),
    api_app_id: app.id,
    token: 'sandbox-verification-token',
    // An app that an organisation installed belongs to no workspace.
    team: app.byOrganisation ? null : { id: team.id, domain: team.domain },
    enterprise: team.organisation ? { id: team.organisation.id, name: team.organisation.name } : null,
    is_enterprise_install: app.byOrganisation,
  };
}

type Frame = ReturnType<typeof payloadFrame>;
/** The place of an interaction in a message; an ephemeral message is omitted. */
type InMessage = { channel: { id: string; name: string }; message?: ApiMessage };

/** docs.slack.dev/reference/interaction-payloads/block_actions-payload */
export type BlockActionsPayload = Frame & {
  type: 'block_actions';
  container: JsonObject;
  trigger_id: string;
  actions: [ActionSaid & { action_ts: string }];
} & (({ response_url: string; state: { values: StateValues } } & InMessage) | { view: ApiView });

/** One of `actions`, with what its kind of element says besides. */
export type ActionSaid = JsonObject & { type: string; action_id: string; block_id: string };

/** docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
export type ViewSubmissionPayload = Frame & {
  type: 'view_submission';
  trigger_id: string;
  view: ApiView;
  response_urls: ViewResponseUrl[];
};

export type ViewResponseUrl = {
  block_id: string;
  action_id: string;
  channel_id: string;
  response_url: string;
};

export type ViewClosedPayload = Frame & { type: 'view_closed'; view: ApiView; is_cleared: boolean };

/** docs.slack.dev/reference/interaction-payloads/block_suggestion-payload */
export type BlockSuggestionPayload = Frame & {
  type: 'block_suggestion';
  container: JsonObject;
  action_id: string;
  block_id: string;
  value: string;
} & (InMessage | { view: ApiView });

/** docs.slack.dev/reference/events/app_home_opened */
export type AppHomeOpenedEvent = {
  type: 'app_home_opened';
  user: string;
  channel: string;
  tab: 'home' | 'messages';
  view?: ApiView;
  event_ts: string;
};

/** A channel's name as payloads have it: direct conversations are called after what they are. */
export function payloadChannelName(channel: Channel): string {
  if (channel.kind === 'im') return 'directmessage';
  return channel.kind === 'group' ? 'privategroup' : channel.name;
}

/** Why Slack's client cannot use the response to an interaction. */
export type Unanswered = Extract<Outcome, { error: unknown }>['error'] | 'invalid_response';
