import type { ReactNode } from 'react';

import styles from './effects.module.css';

/** The effects of a change, shown before it is made, one line each. */
export function Effects({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <ul
      className={styles['effects']}
      // Long lists scroll, so that the buttons below stay in view.
      {...(label && { 'aria-label': label, tabIndex: 0 })}
    >
      {children}
    </ul>
  );
}

export function Effect({ sign, more, children }: { sign: ReactNode; more?: string; children: ReactNode }) {
  return (
    <li>
      {sign}
      <span>
        {children}
        {more && <small>{more}</small>}
      </span>
    </li>
  );
}
