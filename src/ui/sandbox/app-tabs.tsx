import { Tabs } from '../kit/tabs.tsx';
import { ChannelHead } from './channel-head.tsx';
import { Home } from './home.tsx';
import { store } from './store.ts';
import { Talk } from './talk.tsx';
import type { App, Channel } from './types.ts';

/** The direct messages with an app, and its Home. */
export function AppTabs({ channel, app }: { channel: Channel; app: App }) {
  return (
    <Tabs
      label="Views of the app"
      tabs={[
        { id: 'home', title: 'Home', content: <Home key={`${app.id} ${store.me}`} app={app} /> },
        {
          id: 'messages',
          title: 'Messages',
          content: <Talk key={`${channel.id} ${store.me}`} channel={channel} />,
        },
      ]}
      selected={store.tab}
      onSelect={(tab) => store.show(tab)}
      head={(row) => <ChannelHead channel={channel} tabs={row} />}
      panel="column-body"
    />
  );
}
