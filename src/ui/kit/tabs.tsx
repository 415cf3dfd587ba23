import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components/Tabs';

import styles from './tabs.module.css';

interface Props<Id extends string> {
  /** The name of the row of tabs. */
  label: string;
  tabs: readonly { id: Id; title: ReactNode; content: ReactNode }[];
  selected: Id;
  onSelect: (id: Id) => void;
  /** Draws what the row stands in, such as the head of a pane; the pane's layout then places that and the panels. */
  head?: (row: ReactNode) => ReactNode;
  /** The class of the panel of each tab. */
  panel?: string | undefined;
}

/** Views of one thing, of which one is shown: arrows move along the tabs, and show what they come to. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, head, panel = '' }: Props<Id>) {
  const row = (
    <TabList aria-label={label} className={`${styles['row']} ${head ? '' : styles['line']}`}>
      {tabs.map(({ id, title }) => (
        <Tab key={id} id={id} className={styles['tab'] ?? ''}>
          {title}
        </Tab>
      ))}
    </TabList>
  );
  return (
    <AriaTabs
      className={(head && styles['placed']) ?? ''}
      selectedKey={selected}
      onSelectionChange={(key) => {
        const tab = tabs.find(({ id }) => id === key);
        if (tab) onSelect(tab.id);
      }}
    >
      {head ? head(row) : row}
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className={panel}>
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
