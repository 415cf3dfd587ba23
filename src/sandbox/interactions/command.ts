import { escapeText } from '../rich-text/inline.ts';
import { SlackError } from '../web-api/method.ts';
import { postMessage } from '../workspace/messages.ts';
import type { App, Channel, Person } from '../workspace/directory.ts';
import type { Outcome, Workspace } from '../workspace/workspace.ts';
import { writtenByApp } from '../workspace/write.ts';
import { payloadChannelName } from './payloads.ts';
import { answer, type Asked, makeResponseUrl, type ResponseBody, responseBody } from './response-urls.ts';

export interface CommandTyped {
  channel: Channel;
  person: Person;
  /** With its slash. */
  command: string;
  text: string;
}

/**
 * A slash command, as if typed (docs.slack.dev/interactivity/implementing-slash-commands): sent to the app, its
 * acknowledgement's body shown to the person; without one in three seconds the person reads why.
 */
export async function runCommand(
  workspace: Workspace,
  app: App,
  baseUrl: string,
  { channel, person, command, text }: CommandTyped,
): Promise<Outcome> {
  const { directory, triggers } = workspace;
  const asked = { channelId: channel.id, userId: person.id };
  const response = makeResponseUrl(workspace, baseUrl, asked);
  const outcome = await workspace.send(app, 'slash_commands', {
    token: 'sandbox-verification-token',
    team_id: directory.team.id,
    team_domain: directory.team.domain,
    channel_id: channel.id,
    channel_name: payloadChannelName(channel),
    user_id: person.id,
    user_name: person.name,
    command,
    text: escapedCommandText(workspace, text),
    api_app_id: app.id,
    ...(directory.team.organisation
      ? { enterprise_id: directory.team.organisation.id, enterprise_name: directory.team.organisation.name }
      : {}),
    is_enterprise_install: String(app.byOrganisation),
    response_url: response.url,
    trigger_id: triggers.issue({ appId: app.id, userId: person.id, channelId: channel.id }),
  });
  if ('error' in outcome) {
    tell(workspace, app, channel, person, `${command} failed with the error "${outcome.error}"`);
    return outcome;
  }
  const body = responseBody.safeParse(outcome.payload);
  if (!body.success || !saysSomething(body.data)) return outcome;
  show(workspace, app, asked, { channel, person, command, text }, body.data);
  return outcome;
}

/** Shows what came with the acknowledgement; the person reads of it where Slack would not take it. */
function show(
  workspace: Workspace,
  app: App,
  asked: Asked,
  { channel, person, command }: CommandTyped,
  body: ResponseBody,
): void {
  try {
    answer(workspace, asked, body);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    tell(workspace, app, channel, person, `${command} failed with the error "invalid_command_response"`);
  }
}

const ESCAPED =
  /<@([UW][A-Z0-9]+)(?:\|[^>]*)?>|<#([CG][A-Z0-9]+)(?:\|[^>]*)?>|(?<![\w/])@([a-zA-Z0-9][\w.-]*)|(?<![\w/&])#([a-z0-9][a-z0-9_-]*)|(https?:\/\/[^\s<>]+)/g;

/**
 * With `should_escape` (the bridge's manifest asks for it) mentions come as `<@U1|name>` and `<#C1|name>`, links as
 * `<https://…>`, and `&`, `<`, `>` are escaped; nothing else is changed.
 */
export function escapedCommandText({ directory }: Workspace, typed: string): string {
  let done = '';
  let last = 0;
  for (const match of typed.matchAll(ESCAPED)) {
    const [whole, userId, channelId, userName, channelName, url] = match;
    const person =
      userId === undefined ? directory.personByName(userName ?? '') : directory.people.get(userId);
    const channel =
      channelId === undefined
        ? directory.channelByName(channelName ?? '')
        : directory.channels.get(channelId);
    const escaped = person
      ? `<@${person.id}|${person.name}>`
      : channel
        ? `<#${channel.id}|${channel.name}>`
        : url === undefined
          ? escapeText(whole)
          : `<${escapeText(url)}>`;
    done += escapeText(typed.slice(last, match.index)) + escaped;
    last = match.index + whole.length;
  }
  return done + escapeText(typed.slice(last));
}

function saysSomething(body: {
  text?: string | undefined;
  blocks?: unknown;
  attachments?: unknown;
}): boolean {
  return (body.text ?? '') !== '' || body.blocks !== undefined || body.attachments !== undefined;
}

function tell(workspace: Workspace, app: App, channel: Channel, person: Person, text: string): void {
  postMessage(workspace, channel, {
    ...writtenByApp(workspace, app, { text, username: 'Slackbot' }),
    author: app.botUserId,
    ephemeralFor: person.id,
  });
}
