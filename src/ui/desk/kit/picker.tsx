import { lazy, Suspense } from 'react';

import { Opener } from './opener.tsx';
import type { PickerProps } from './types.ts';

export type { Option } from './types.ts';

const Choices = lazy(() => import('./choices.tsx').then(({ Choices }) => ({ default: Choices })));
const Panel = lazy(() => import('./panel.tsx').then(({ Panel }) => ({ default: Panel })));

/** A list to choose from, with a search field: arrows, Enter, Escape. */
export function Picker({ children, isOpen, onOpenChange, ...props }: PickerProps) {
  if (!children)
    return (
      <Suspense>
        <Choices {...props} close={() => onOpenChange?.(false)} />
      </Suspense>
    );
  return (
    <Opener button={children} opens="dialog" isOpen={isOpen} onOpenChange={onOpenChange}>
      {({ trigger, close }) => (
        <Panel label={props.label} trigger={trigger} onClose={close}>
          <div
            // One press closes it, whatever was typed.
            onKeyDownCapture={(event) => {
              if (event.key !== 'Escape') return;
              event.preventDefault();
              event.stopPropagation();
              close();
            }}
          >
            <Choices {...props} close={close} />
          </div>
        </Panel>
      )}
    </Opener>
  );
}
