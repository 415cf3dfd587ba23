import { lazy, type ReactNode } from 'react';

import { OpeningButton } from './opening-button.tsx';

const EmojiPanel = lazy(() => import('./emoji-panel.tsx').then((panel) => ({ default: panel.EmojiPanel })));

/** A button that opens the picker of emoji; `onTake` gets the name. */
export function EmojiButton({
  label,
  className,
  end = true,
  onTake,
  children,
}: {
  label: string;
  className: string;
  end?: boolean;
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
          end={end}
          onTake={(name) => {
            beside.close();
            onTake(name);
          }}
        />
      )}
    >
      {children}
    </OpeningButton>
  );
}
