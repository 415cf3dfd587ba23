import type { ReactElement } from 'react';
import { Tooltip, TooltipTrigger } from 'react-aria-components/Tooltip';

import styles from './hint.module.css';
import { Keys } from './keys.tsx';

/** A tooltip with the name of what it explains and the key that does the same. */
export function Hint({ text, keys, children }: { text: string; keys?: string; children: ReactElement }) {
  return (
    <TooltipTrigger delay={400} closeDelay={0}>
      {children}
      <Tooltip className={styles['hint'] ?? ''} offset={6}>
        {text}
        {keys && <Keys of={keys} />}
      </Tooltip>
    </TooltipTrigger>
  );
}
