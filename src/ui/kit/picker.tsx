import { Late } from './late.tsx';
import { part } from './part.ts';
import { Opener } from './opener.tsx';
import type { PickerProps } from './types.ts';

export type { Option } from './types.ts';

const Choices = part(() => import('./choices.tsx').then(({ Choices }) => Choices));
const Panel = part(() => import('./panel.tsx').then(({ Panel }) => Panel));

/** A list to choose from, with a search field: arrows, Enter, Escape. */
export function Picker({ children, isOpen, onOpenChange, ...props }: PickerProps) {
  if (!children)
    return (
      <Late>
        <Choices {...props} close={() => onOpenChange?.(false)} />
      </Late>
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
