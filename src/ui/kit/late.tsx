import { type ReactNode, Suspense, useLayoutEffect } from 'react';

import { holdKeys } from './held-keys.ts';

/** A part of the page that is loaded when it is opened. Keys pressed meanwhile are held for it. */
export function Late({ meanwhile, children }: { meanwhile?: ReactNode; children: ReactNode }) {
  return (
    <Suspense
      fallback={
        <>
          {meanwhile}
          <Opening />
        </>
      }
    >
      {children}
    </Suspense>
  );
}

/** The desk's commands do not run while it is on the page (desk/kit/commands.ts). */
export function Opening() {
  // Before the next key: an effect would be too late.
  useLayoutEffect(holdKeys, []);
  return <span data-opening hidden />;
}
