import { notifyError } from '../notice.ts';
import { inspector } from './state.ts';

let loaded: Promise<void> | undefined;

/** Shows or hides the inspector's pane. What is in it is loaded when it is first opened, and draws itself from then on. */
export function drawInspector(pane: HTMLElement): void {
  pane.hidden = !inspector.open;
  if (!inspector.open) return;
  loaded ??= import('./panel.tsx')
    .then(({ mountInspector }) => mountInspector(pane))
    .catch((error: unknown) => {
      // The next opening tries again.
      loaded = undefined;
      notifyError(error);
    });
}
