import type { ReactNode } from 'react';

import { part } from '../../kit/part.ts';
import { OpeningButton } from './opening-button.tsx';

const EmojiPanel = part(() => import('./emoji-panel.tsx').then(({ EmojiPanel }) => EmojiPanel));

/** A button that opens the picker of emoji; `onTake` gets the name. */
export function EmojiButton({
  label,
  className,
  placement = 'bottom end',
  onTake,
  children,
}: {
  label: string;
  className?: string;
  placement?: 'bottom start' | 'bottom end';
  onTake: (name: string) => unknown;
  children: ReactNode;
}) {
  return (
    <OpeningButton
      label={label}
      className={className}
      opened={(beside) => (
        <EmojiPanel
          {...beside}
          placement={placement}
          onTake={(name) => {
            beside.onClose();
            onTake(name);
          }}
        />
      )}
    >
      {children}
    </OpeningButton>
  );
}
