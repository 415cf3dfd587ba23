import { type ComponentProps, type ReactNode, useLayoutEffect, useRef } from 'react';

import { Dialog as KitDialog } from '../../kit/dialog.tsx';
import { NativeButton } from '../../kit/native-button.tsx';
import { Source } from '../source.ts';
import { useChanges } from '../use-changes.ts';

/** A dialog of the kit, in which the first control has the focus. */
export function Dialog({ children, ...props }: ComponentProps<typeof KitDialog>) {
  return (
    <KitDialog {...props}>
      <FirstFocus>{children}</FirstFocus>
    </KitDialog>
  );
}

/** Where the focus goes first. */
const FIRST = [
  '[data-first]',
  '.dialog-body :is(input, textarea)',
  '.dialog-body button',
  'footer [type=submit]',
  'footer button',
];

/** Gives the focus to the first control of a dialog that has just been opened. */
function FirstFocus({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const dialog = place.current?.closest('[role=dialog]');
    const found = FIRST.map((selector) => dialog?.querySelector<HTMLElement>(selector)).find(Boolean);
    found?.focus();
  }, []);
  return (
    <div ref={place} className="dialog-body">
      {children}
    </div>
  );
}

type Opened = (close: () => void) => ReactNode;

/** The dialogs that code has opened, one above the other. */
class Dialogs extends Source {
  opened: { id: number; draw: Opened }[] = [];
  #ids = 0;

  open(draw: Opened): void {
    this.#ids += 1;
    this.opened = [...this.opened, { id: this.#ids, draw }];
    this.changed();
  }

  close(id: number): void {
    this.opened = this.opened.filter((other) => other.id !== id);
    this.changed();
  }
}
export const dialogs = new Dialogs();

/** Draws the dialogs that code has opened. */
export function OpenedDialogs() {
  useChanges(dialogs);
  return dialogs.opened.map(({ id, draw }) => (
    <OpenedDialog key={id} draw={draw} onClose={() => dialogs.close(id)} />
  ));
}

function OpenedDialog({ draw, onClose }: { draw: Opened; onClose: () => void }) {
  return draw(onClose);
}

/** Asks for confirmation; resolves to whether the user agreed. */
export function confirmDialog({
  title,
  text,
  confirm = 'Yes',
  deny = 'Cancel',
  style,
}: {
  title: string;
  text: ReactNode;
  confirm?: string;
  deny?: string;
  style?: string | undefined;
}): Promise<boolean> {
  return new Promise((resolve) => {
    dialogs.open((close) => {
      const answer = (isAgreed: boolean) => {
        resolve(isAgreed);
        close();
      };
      return (
        <Dialog
          title={title}
          onClose={() => answer(false)}
          footer={
            <>
              <NativeButton onClick={() => answer(false)}>{deny}</NativeButton>
              <NativeButton
                kind={style === 'danger' ? 'danger' : 'primary'}
                data-first
                onClick={() => answer(true)}
              >
                {confirm}
              </NativeButton>
            </>
          }
        >
          <div className="confirm-text">{text}</div>
        </Dialog>
      );
    });
  });
}
