import type { ReactNode } from 'react';

/** One thing to do of a menu; `'line'` is a divider. */
export type MenuItem =
  'line' | { label: string; sign?: ReactNode; hint?: string | undefined; act: () => unknown };
