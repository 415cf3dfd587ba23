import type { RefObject } from 'react';
import { Menu as List, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';

import { Keys } from './keys.tsx';
import type { MenuEntry } from './types.ts';
import styles from './menu.module.css';

/** The entries of a menu that is open. */
export function Entries({
  label,
  entries,
  trigger,
  onClose,
}: {
  label: string;
  entries: readonly MenuEntry[];
  trigger: RefObject<HTMLElement | null>;
  onClose: () => void;
}) {
  return (
    <Popover
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      triggerRef={trigger}
      aria-label={label}
      className={styles['popover'] ?? ''}
      placement="bottom end"
      offset={4}
    >
      <List aria-label={label} className={styles['menu'] ?? ''} autoFocus="first" onClose={onClose}>
        {entries.map(({ id, label: text, sign, keys, whyNot, isDangerous, href, onAction }) => (
          <MenuItem
            key={id}
            id={id}
            textValue={text}
            isDisabled={whyNot !== undefined}
            {...(href && { href })}
            {...(onAction && { onAction })}
            className={`${styles['item']} ${isDangerous ? styles['danger'] : ''}`}
          >
            {sign}
            <span className={styles['text']}>
              {text}
              {whyNot && <span className={styles['why-not']}>{whyNot}</span>}
            </span>
            {keys && <Keys of={keys} />}
          </MenuItem>
        ))}
      </List>
    </Popover>
  );
}
