import { X } from 'lucide-react';
import { type ComponentType, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';

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

/** Draws the inspector into its pane, once: it follows its state. */
export function mountInspector(pane: HTMLElement): void {
  createRoot(pane).render(
    <StrictMode>
      <Panel />
    </StrictMode>,
  );
}

/** The inspector at the side: traffic between Slack and app, faults, and the clock. */
function Panel() {
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
          <button
            type="button"
            className="icon-button"
            aria-label="Close the inspector"
            onClick={() => inspector.toggle(false)}
          >
            <X className="icon" aria-hidden />
          </button>
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
