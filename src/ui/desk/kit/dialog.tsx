import { type ComponentProps, Suspense } from 'react';

import { part } from './part.ts';

const DialogModal = part(() => import('./modal.tsx').then(({ DialogModal }) => DialogModal));

/** A question that has to be answered before anything else; loaded when the first one is asked. */
export function Dialog(props: ComponentProps<typeof DialogModal>) {
  return (
    <Suspense fallback={<span data-opening hidden />}>
      <DialogModal {...props} />
    </Suspense>
  );
}
