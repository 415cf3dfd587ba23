import { lazy, type ReactNode, Suspense } from 'react';

import { useChanges } from '../use-changes.ts';
import type { DialogProps } from './dialog-frame.tsx';

const DialogFrame = lazy(() =>
  import('./dialog-frame.tsx').then((frame) => ({ default: frame.DialogFrame })),
);

/** A dialog over the page, loaded when the first one is opened; the rest of the page is inert while it is open. */
export function Dialog({ meanwhile, ...props }: DialogProps & { meanwhile?: ReactNode }) {
  return (
    <Suspense fallback={meanwhile}>
      <DialogFrame {...props} />
    </Suspense>
  );
}

type Opened = (close: () => void) => ReactNode;

/** The dialogs that code has opened, one above the other. */
class Dialogs extends EventTarget {
  opened: { id: number; draw: Opened }[] = [];
  #ids = 0;

  open(draw: Opened): void {
    this.#ids += 1;
    this.opened = [...this.opened, { id: this.#ids, draw }];
    this.dispatchEvent(new Event('change'));
  }

  close(id: number): void {
    this.opened = this.opened.filter((other) => other.id !== id);
    this.dispatchEvent(new Event('change'));
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
          className="small"
          onClose={() => answer(false)}
          foot={
            <>
              <button type="button" className="plain" onClick={() => answer(false)}>
                {deny}
              </button>
              <button
                type="button"
                className={style === 'danger' ? 'primary danger' : 'primary'}
                data-first
                onClick={() => answer(true)}
              >
                {confirm}
              </button>
            </>
          }
        >
          <div className="confirm-text">{text}</div>
        </Dialog>
      );
    });
  });
}
