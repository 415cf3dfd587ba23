import type { StoredMessage } from '../workspace/content.ts';
import type { App, Channel, Person } from '../workspace/directory.ts';
import { apiMessage } from '../workspace/render.ts';
import { formatTs } from '../workspace/timestamps.ts';
import type { Outcome, Workspace } from '../workspace/workspace.ts';
import { payloadChannelName, payloadFrame } from './payloads.ts';
import { makeResponseUrl } from './response-urls.ts';

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
