import type { App, Channel, Person, Team } from '../workspace/directory.ts';

/** The `user` of an interactive payload. */
export function payloadUser(team: Team, person: Person): Record<string, unknown> {
  return { id: person.id, username: person.name, name: person.name, team_id: team.id };
}

/** What every interactive payload begins with (docs.slack.dev/reference/interaction-payloads). */
export function payloadFrame(team: Team, app: App, person: Person): Record<string, unknown> {
  return {
    user: payloadUser(team, person),
    api_app_id: app.id,
    token: 'sandbox-verification-token',
    team: { id: team.id, domain: team.domain },
    enterprise: null,
    is_enterprise_install: false,
  };
}

/** A channel's name as payloads have it: direct conversations are called after what they are. */
export function payloadChannelName(channel: Channel): string {
  if (channel.kind === 'im') return 'directmessage';
  return channel.kind === 'group' ? 'privategroup' : channel.name;
}
