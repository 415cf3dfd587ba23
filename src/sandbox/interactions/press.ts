import { apiView, type OpenView } from '../views/open-view.ts';
import type { StoredMessage } from '../workspace/content.ts';
import type { App, Channel, Person } from '../workspace/directory.ts';
import { apiMessage } from '../workspace/render.ts';
import { formatTs } from '../workspace/timestamps.ts';
import type { Outcome, Workspace } from '../workspace/workspace.ts';
import { act, type Action, fillIn } from './elements.ts';
import type { GivenValues } from './fill.ts';
import { type BlockActionsPayload, homeOf, payloadChannelName, payloadFrame } from './payloads.ts';
import { makeResponseUrl } from './response-urls.ts';
import { inMessage, inView } from './surface.ts';

/** How an act on an element ended; `sent: false`: it is only filled in, and told with the submission. */
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
  const { said, told } = act(filling, blocks, values, action);
  if (!told) return { sent: false };
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
    // Slack does not send what an ephemeral message says.
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
  const { said, told } = act(filling, blocks, values, action);
  if (!told) return { sent: false };
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
