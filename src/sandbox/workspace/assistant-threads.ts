import type { StoredMessage } from './content.ts';
import { openConversation } from './conversations.ts';
import type { App, Channel, Person } from './directory.ts';
import { postMessage } from './messages.ts';
import type { Workspace } from './workspace.ts';

const ROOT = 'assistant_app_thread';

/** Whether a message is the first of a thread of the assistant pane, as older apps have it. */
export function isAssistantRoot({ content }: StoredMessage): boolean {
  return content.subtype === ROOT;
}

/**
 * A person begins a thread in the assistant pane of an app that has the older `assistant_view`: Slack posts the thread's
 * first message, and tells `assistant_thread_started` with what the person looks at
 * (docs.slack.dev/reference/events/assistant_thread_started). Of an app with `agent_view` the pane is its Messages tab.
 */
export function startAssistantThread(
  workspace: Workspace,
  app: App,
  person: Person,
  viewed: Channel | undefined,
): { channel: Channel; ts: string } {
  const { directory } = workspace;
  const { channel } = openConversation(workspace, [person.id, app.botUserId]);
  const title = 'New Assistant Thread';
  const root = postMessage(workspace, channel, {
    author: app.botUserId,
    autoBlocks: true,
    content: {
      type: 'message',
      subtype: ROOT,
      user: app.botUserId,
      team: directory.team.id,
      text: title,
      assistant_app_thread: { title, title_blocks: [], artifacts: [] },
    },
  });
  workspace.change(channel, (change) =>
    change.emit(
      {
        type: 'assistant_thread_started',
        assistant_thread: {
          user_id: person.id,
          context: viewed ? { channel_id: viewed.id, team_id: directory.team.id, enterprise_id: null } : {},
          channel_id: channel.id,
          thread_ts: root.ts,
        },
        event_ts: change.ts,
      },
      [app],
    ),
  );
  return { channel, ts: root.ts };
}
