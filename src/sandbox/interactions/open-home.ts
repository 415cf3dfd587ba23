import { apiView } from '../views/open-view.ts';
import { openConversation } from '../workspace/conversations.ts';
import type { App, Channel, Person } from '../workspace/directory.ts';
import type { AppHomeOpenedEvent } from './payloads.ts';
import type { Workspace } from '../workspace/workspace.ts';

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
