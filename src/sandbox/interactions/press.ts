import { z } from 'zod';

import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import { option, optionGroup } from '../blocks/elements.ts';
import { complaints } from '../blocks/check.ts';
import { LIMITS } from '../limits.ts';
import { apiView, asText, type OpenView } from '../views/open-view.ts';
import { SlackError } from '../web-api/method.ts';
import { openConversation } from '../workspace/channels.ts';
import type { JsonObject, StoredMessage } from '../workspace/content.ts';
import type { App, Channel, Person } from '../workspace/directory.ts';
import { apiMessage } from '../workspace/message-store.ts';
import { postMessage } from '../workspace/messages.ts';
import { formatTs } from '../workspace/timestamps.ts';
import type { Outcome, Workspace } from '../workspace/workspace.ts';
import { writtenByApp } from '../workspace/write.ts';
import {
  act,
  type Action,
  fillIn,
  findElement,
  type GivenValues,
  inMessage,
  inView,
  NoSuchElement,
} from './fill.ts';
import {
  type AppHomeOpenedEvent,
  type BlockActionsPayload,
  type BlockSuggestionPayload,
  homeOf,
  payloadChannelName,
  payloadFrame,
  type Unanswered,
} from './payloads.ts';
import {
  answerInteraction,
  type Asked,
  makeResponseUrl,
  type ResponseBody,
  responseBody,
} from './response-urls.ts';

/** The result of an action; `sent: false`: only the value is set, and sent with the submission. */
export type Pressed = Outcome | { sent: false };

/** `block_actions` of a message's element (docs.slack.dev/reference/interaction-payloads/block_actions-payload). */
export async function pressInMessage(
  workspace: Workspace,
  app: App,
  baseUrl: string,
  {
    channel,
    person,
    message,
    action,
    values: puts = {},
  }: {
    channel: Channel;
    person: Person;
    message: StoredMessage;
    action: Action;
    values?: GivenValues | undefined;
  },
): Promise<Pressed> {
  const { directory } = workspace;
  const { blocks, values, filling, container } = inMessage(workspace, person, message);
  fillIn(filling, blocks, values, puts);
  const { said, sent } = act(filling, blocks, values, action);
  if (!sent) return { sent: false };
  const response = makeResponseUrl(workspace, baseUrl, {
    channelId: channel.id,
    userId: person.id,
    sourceTs: message.ts,
    threadTs: message.thread_ts ?? undefined,
  });
  const payload: BlockActionsPayload = {
    type: 'block_actions',
    ...payloadFrame(directory.team, app, person),
    container,
    trigger_id: workspace.triggers.issue({ appId: app.id, userId: person.id, channelId: channel.id }),
    channel: { id: channel.id, name: payloadChannelName(channel) },
    // Slack does not send the text of an ephemeral message.
    ...(message.ephemeral_for === null ? { message: apiMessage(message, { metadata: true }) } : {}),
    state: { values },
    response_url: response.url,
    actions: [{ ...said, action_ts: actionTs(workspace) }],
  };
  return workspace.send(app, 'interactive', payload);
}

/** `block_actions` of an element of a modal or the Home: with the view, without a message and a response address. */
export async function pressInView(
  workspace: Workspace,
  {
    person,
    view,
    action,
    values: puts,
  }: { person: Person; view: OpenView; action: Action; values: GivenValues },
): Promise<Pressed> {
  const { directory } = workspace;
  const { app, conversation } = view;
  const { blocks, values, filling, container } = inView(workspace, view);
  fillIn(filling, blocks, values, puts);
  const { said, sent } = act(filling, blocks, values, action);
  if (!sent) return { sent: false };
  const home = homeOf(directory.team, person);
  const payload: BlockActionsPayload = {
    type: 'block_actions',
    ...payloadFrame(home, app, person),
    container,
    trigger_id: workspace.triggers.issue({
      appId: app.id,
      userId: person.id,
      viewId: view.id,
      channelId: conversation,
    }),
    view: apiView(directory.team, view, view.values, home),
    actions: [{ ...said, action_ts: actionTs(workspace) }],
  };
  return workspace.send(app, 'interactive', payload);
}

function actionTs({ clock }: Workspace): string {
  return formatTs(clock.now().getTime() * 1000);
}

/**
 * A shortcut from a message's menu (`message_action`) or, without a message, from anywhere (`shortcut`)
 * (docs.slack.dev/reference/interaction-payloads/shortcuts-interaction-payload).
 */
export async function runShortcut(
  workspace: Workspace,
  app: App,
  baseUrl: string,
  {
    callbackId,
    person,
    on,
  }: { callbackId: string; person: Person; on?: { channel: Channel; message: StoredMessage } },
): Promise<Outcome> {
  const { directory, triggers } = workspace;
  const frame = {
    ...payloadFrame(directory.team, app, person),
    callback_id: callbackId,
    trigger_id: triggers.issue({ appId: app.id, userId: person.id, channelId: on?.channel.id }),
    action_ts: formatTs(workspace.clock.now().getTime() * 1000),
  };
  if (!on) return workspace.send(app, 'interactive', { type: 'shortcut', ...frame });
  const { channel, message } = on;
  return workspace.send(app, 'interactive', {
    type: 'message_action',
    ...frame,
    message_ts: message.ts,
    channel: { id: channel.id, name: payloadChannelName(channel) },
    message: apiMessage(message, { metadata: true }),
    response_url: makeResponseUrl(workspace, baseUrl, {
      channelId: channel.id,
      userId: person.id,
      sourceTs: message.ts,
      threadTs: message.thread_ts ?? undefined,
    }).url,
  });
}

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
    postSlackbotNotice(
      workspace,
      app,
      channel,
      person,
      `${command} failed with the error "${outcome.error}"`,
    );
    return outcome;
  }
  const body = responseBody.safeParse(outcome.payload);
  if (!body.success || !saysSomething(body.data)) return outcome;
  show(workspace, app, asked, { channel, person, command, text }, body.data);
  return outcome;
}

/** Shows the message of the acknowledgement, or an error if Slack would reject it. */
function show(
  workspace: Workspace,
  app: App,
  asked: Asked,
  { channel, person, command }: CommandTyped,
  body: ResponseBody,
): void {
  try {
    answerInteraction(workspace, asked, body);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    postSlackbotNotice(
      workspace,
      app,
      channel,
      person,
      `${command} failed with the error "invalid_command_response"`,
    );
  }
}

const ESCAPED =
  /<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>|<#([CG][A-Z0-9]+)(?:\|[^<>]*)?>|(?<![\w/])@([a-zA-Z0-9][\w.-]*)|(?<![\w/&])#([a-z0-9][a-z0-9_-]*)|(https?:\/\/[^\s<>]+)/g;

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
          ? escapeMrkdwn(whole)
          : `<${escapeMrkdwn(url)}>`;
    done += escapeMrkdwn(typed.slice(last, match.index)) + escaped;
    last = match.index + whole.length;
  }
  return done + escapeMrkdwn(typed.slice(last));
}

function saysSomething(body: {
  text?: string | undefined;
  blocks?: unknown;
  attachments?: unknown;
}): boolean {
  return (body.text ?? '') !== '' || body.blocks !== undefined || body.attachments !== undefined;
}

function postSlackbotNotice(
  workspace: Workspace,
  app: App,
  channel: Channel,
  person: Person,
  text: string,
): void {
  postMessage(workspace, channel, {
    ...writtenByApp(workspace, app, { text, username: 'Slackbot' }),
    author: app.botUserId,
    ephemeralFor: person.id,
  });
}

/**
 * A person opens the App Home: `app_home_opened` with the tab, and on the Home tab the view that stands there
 * (docs.slack.dev/reference/events/app_home_opened). The conversation is the Messages tab.
 */
export function openHome(workspace: Workspace, app: App, person: Person, tab: 'home' | 'messages'): Channel {
  const { directory, views } = workspace;
  const { channel } = openConversation(workspace, [person.id, app.botUserId]);
  workspace.change(channel, (change) => {
    const home = tab === 'home' ? views.homeOf(person.id, app.id) : undefined;
    const event: AppHomeOpenedEvent = {
      type: 'app_home_opened',
      user: person.id,
      channel: channel.id,
      tab,
      ...(home ? { view: apiView(directory.team, home) } : {}),
      event_ts: change.ts,
    };
    change.emit(event, [app]);
  });
  return channel;
}

/** The options of an external select. */
export type Suggested =
  | { options: JsonObject[] }
  | { option_groups: JsonObject[] }
  /** Too short for `min_query_length`: the app was not asked. */
  | { sent: false; options: [] }
  | { error: Unanswered; messages: readonly string[] };

/** The external select that a person types into. */
export type Typing = { person: Person; actionId: string; blockId?: string | undefined; value: string } & (
  { view: OpenView } | { app: App; channel: Channel; message: StoredMessage }
);

const flat = z.object({ options: z.array(option).max(LIMITS.selectOptions) });
const grouped = z.object({ option_groups: z.array(optionGroup).max(LIMITS.selectOptions) });

/**
 * `block_suggestion`: asks the app what a menu offers for what was typed
 * (docs.slack.dev/reference/interaction-payloads/block_suggestion-payload). The options come with the acknowledgement.
 */
export async function suggest(workspace: Workspace, typing: Typing): Promise<Suggested> {
  const { person, value } = typing;
  const { directory } = workspace;
  const surface =
    'view' in typing ? inView(workspace, typing.view) : inMessage(workspace, person, typing.message);
  const { block, element } = findElement(surface.blocks, typing);
  if (element['type'] !== 'external_select' && element['type'] !== 'multi_external_select')
    throw new NoSuchElement(`"${typing.actionId}" is no external select`);
  if (value.length < Number(element['min_query_length'] ?? LIMITS.minQueryLength))
    return { sent: false, options: [] };
  const app = 'view' in typing ? typing.view.app : typing.app;
  const home = 'view' in typing ? homeOf(directory.team, person) : directory.team;
  const asking: BlockSuggestionPayload = {
    type: 'block_suggestion',
    ...payloadFrame(home, app, person),
    container: surface.container,
    action_id: typing.actionId,
    block_id: asText(block['block_id']),
    value,
    ...('view' in typing
      ? { view: apiView(directory.team, typing.view, typing.view.values, home) }
      : messageContext(typing)),
  };
  const outcome = await workspace.send(app, 'interactive', asking);
  if ('error' in outcome) return { error: outcome.error, messages: [] };
  const { payload } = outcome;
  const withGroups = typeof payload === 'object' && payload !== null && 'option_groups' in payload;
  const messages = complaints(withGroups ? grouped : flat, payload, '');
  if (messages.length > 0) return { error: 'invalid_response', messages };
  const offered = payload as { options: JsonObject[] } | { option_groups: JsonObject[] };
  surface.offer(
    element,
    'options' in offered
      ? offered.options
      : offered.option_groups.flatMap((group) => group['options'] as JsonObject[]),
  );
  return 'options' in offered ? { options: offered.options } : { option_groups: offered.option_groups };
}

function messageContext({ channel, message }: { channel: Channel; message: StoredMessage }) {
  return {
    channel: { id: channel.id, name: payloadChannelName(channel) },
    ...(message.ephemeral_for === null ? { message: apiMessage(message, { metadata: true }) } : {}),
  };
}
