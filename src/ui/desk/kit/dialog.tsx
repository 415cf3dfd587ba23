import { type ComponentProps, lazy, Suspense } from 'react';

const DialogModal = lazy(() => import('./modal.tsx').then(({ DialogModal }) => ({ default: DialogModal })));

/** A question that has to be answered before anything else; loaded when the first one is asked. */
export function Dialog(props: ComponentProps<typeof DialogModal>) {
  return (
    <Suspense>
      <DialogModal {...props} />
    </Suspense>
  );
}
