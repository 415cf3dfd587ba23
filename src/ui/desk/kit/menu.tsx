import type { ReactElement, ReactNode } from 'react';
import { Menu as List, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';

import { Keys } from './keys.tsx';
import styles from './menu.module.css';

export interface MenuEntry {
  id: string;
  label: string;
  sign?: ReactNode;
  keys?: string;
  isDangerous?: boolean;
  href?: string;
  onAction?: () => void;
}

/** Things to do, behind a button. */
export function Menu({
  label,
  entries,
  children,
}: {
  label: string;
  entries: readonly MenuEntry[];
  children: ReactElement;
}) {
  return (
    <MenuTrigger>
      {children}
      <Popover className={styles['popover'] ?? ''} placement="bottom end" offset={4}>
        <List aria-label={label} className={styles['menu'] ?? ''}>
          {entries.map(({ id, label: text, sign, keys, isDangerous, href, onAction }) => (
            <MenuItem
              key={id}
              id={id}
              textValue={text}
              {...(href && { href })}
              {...(onAction && { onAction })}
              className={`${styles['item']} ${isDangerous ? styles['danger'] : ''}`}
            >
              {sign}
              <span className={styles['text']}>{text}</span>
              {keys && <Keys of={keys} />}
            </MenuItem>
          ))}
        </List>
      </Popover>
    </MenuTrigger>
  );
}
