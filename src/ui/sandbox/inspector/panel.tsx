import { X } from 'lucide-react';

import { NativeIconButton } from '../../kit/native-button.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { useChanges } from '../use-changes.ts';
import { Clock } from './clock.tsx';
import { Faults } from './faults.tsx';
import { inspector } from './state.ts';
import { Traffic } from './traffic.tsx';

/** The inspector at the side: traffic between Slack and app, faults, and the clock. */
export function Panel() {
  useChanges(inspector);
  return (
    <Tabs
      label="Inspector"
      tabs={[
        { id: 'traffic', title: 'Traffic', content: <Traffic /> },
        { id: 'faults', title: 'Faults', content: <Faults /> },
        { id: 'clock', title: 'Clock', content: <Clock /> },
      ]}
      selected={inspector.tab}
      onSelect={(tab) => inspector.show(tab)}
      head={(row) => (
        <header className="channel-head">
          <h2>Inspector</h2>
          {row}
          <span className="spring" />
          <NativeIconButton label="Close the inspector" onClick={() => inspector.toggle(false)}>
            <X size={18} aria-hidden />
          </NativeIconButton>
        </header>
      )}
      panel="column-body"
    />
  );
}
