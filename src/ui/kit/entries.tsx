import { Fragment, type RefObject } from 'react';
import { Menu as List, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Separator } from 'react-aria-components/Separator';

import { Keys } from './keys.tsx';
import type { MenuEntry } from './types.ts';
import styles from './menu.module.css';

/** The entries of a menu that is open. */
export function Entries({
  label,
  entries,
  trigger,
  placement = 'bottom end',
  onClose,
}: {
  label: string;
  entries: readonly MenuEntry[];
  trigger: RefObject<HTMLElement | null>;
  placement?: 'bottom start' | 'bottom end';
  onClose: () => void;
}) {
  return (
    <Popover
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      triggerRef={trigger}
      aria-label={label}
      className={styles['popover'] ?? ''}
      placement={placement}
      offset={4}
    >
      <List aria-label={label} className={styles['menu'] ?? ''} autoFocus="first" onClose={onClose}>
        {entries.map((entry) => (
          <Fragment key={entry.id}>
            {entry.isApart && <Separator className={styles['line'] ?? ''} />}
            <Entry entry={entry} />
          </Fragment>
        ))}
      </List>
    </Popover>
  );
}

function Entry({
  entry: { id, label, sign, detail, keys, whyNot, isDangerous, href, onAction },
}: {
  entry: MenuEntry;
}) {
  return (
    <MenuItem
      id={id}
      textValue={label}
      isDisabled={whyNot !== undefined}
      {...(href && { href })}
      {...(onAction && { onAction })}
      className={`${styles['item']} ${isDangerous ? styles['danger'] : ''}`}
    >
      {sign}
      <span className={styles['text']}>
        {label}
        {whyNot && <span className={styles['why-not']}>{whyNot}</span>}
      </span>
      {detail && <span className={styles['detail']}>{detail}</span>}
      {keys && <Keys of={keys} />}
    </MenuItem>
  );
}
