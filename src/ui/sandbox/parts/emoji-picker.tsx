import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';

const EmojiPanel = lazy(() => import('./emoji-panel.tsx').then((panel) => ({ default: panel.EmojiPanel })));

/** A button that opens the picker of emoji, whose code is loaded then; `onTake` gets the name. */
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
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        title={label}
        aria-label={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <Suspense>
          <EmojiPanel
            trigger={button}
            end={end}
            onClose={() => setOpen(false)}
            onTake={(name) => {
              setOpen(false);
              onTake(name);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
