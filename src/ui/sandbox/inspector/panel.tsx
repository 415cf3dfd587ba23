import type { ComponentType } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';

import { NativeIconButton } from '../../kit/native-button.tsx';
import { Icon } from '../icons.tsx';
import { useChanges } from '../use-changes.ts';
import { Clock } from './clock.tsx';
import { Faults } from './faults.tsx';
import { inspector, type Tab as TabName } from './state.ts';
import { Traffic } from './traffic.tsx';

const TABS: readonly { name: TabName; label: string; Content: ComponentType }[] = [
  { name: 'traffic', label: 'Traffic', Content: Traffic },
  { name: 'faults', label: 'Faults', Content: Faults },
  { name: 'clock', label: 'Clock', Content: Clock },
];

/** The inspector at the side: traffic between Slack and app, faults, and the clock. */
export function Panel() {
  useChanges(inspector);
  return (
    <Tabs
      className="inspector-tabs"
      selectedKey={inspector.tab}
      onSelectionChange={(key) => {
        const tab = TABS.find(({ name }) => name === key);
        if (tab) inspector.show(tab.name);
      }}
    >
      <div className="column-head">
        <header className="channel-head">
          <h2>Inspector</h2>
          <TabList className="tabs" aria-label="Inspector">
            {TABS.map(({ name, label }) => (
              <Tab key={name} id={name} className="tab">
                {label}
              </Tab>
            ))}
          </TabList>
          <span className="spring" />
          <NativeIconButton label="Close the inspector" onClick={() => inspector.toggle(false)}>
            <Icon name="close" />
          </NativeIconButton>
        </header>
      </div>
      {TABS.map(({ name, Content }) => (
        <TabPanel key={name} id={name} className="inspector-body">
          <Content />
        </TabPanel>
      ))}
    </Tabs>
  );
}
