import type { ComponentProps } from 'react';

import { Late } from './late.tsx';
import { part } from './part.ts';

const DialogModal = part(() => import('./modal.tsx').then(({ DialogModal }) => DialogModal));

/** A question that has to be answered before anything else; loaded when the first one is asked. */
export function Dialog(props: ComponentProps<typeof DialogModal>) {
  return (
    <Late>
      <DialogModal {...props} />
    </Late>
  );
}
