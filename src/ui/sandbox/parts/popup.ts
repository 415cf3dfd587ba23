import { h } from '../dom.ts';

const GAP = 4;
const EDGE = 8;

/** Places a popup next to its anchor: below if there is room, else above, within the window. */
export function place(popup: HTMLElement, anchor: HTMLElement, { end = false, wide = false } = {}): void {
  const at = anchor.getBoundingClientRect();
  const { innerWidth, innerHeight } = window;
  if (wide) popup.style.minWidth = `${Math.min(at.width, innerWidth - 2 * EDGE)}px`;
  const below = innerHeight - at.bottom - GAP - EDGE;
  const above = at.top - GAP - EDGE;
  popup.style.maxHeight = 'none';
  const wanted = popup.scrollHeight;
  const down = below >= Math.min(wanted, 260) || below >= above;
  popup.style.maxHeight = `${Math.max(120, Math.min(down ? below : above, 380))}px`;
  const { offsetWidth, offsetHeight } = popup;
  const left = end ? at.right - offsetWidth : at.left;
  popup.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - offsetWidth - EDGE))}px`;
  popup.style.top = `${down ? at.bottom + GAP : Math.max(EDGE, at.top - GAP - offsetHeight)}px`;
}

export interface Popup {
  popup: HTMLElement;
  close: () => void;
}

/**
 * A panel in the top layer next to `anchor`, closed by Escape and by a press outside. It is appended to the
 * anchor's dialog, if it has one, since everything outside of an open dialog is inert.
 */
export function openPopup(
  anchor: HTMLElement,
  content: HTMLElement,
  { label, end = false, onclose }: { label: string; end?: boolean; onclose?: () => void },
): Popup {
  const popup = h('div', {
    class: 'popup',
    popover: 'auto',
    role: 'group',
    'aria-label': label,
  });
  popup.append(content);
  (anchor.closest('dialog') ?? document.body).append(popup);
  popup.addEventListener('toggle', (event) => {
    if (event.newState !== 'closed') return;
    const held = popup.contains(document.activeElement) || document.activeElement === document.body;
    popup.remove();
    if (held) anchor.focus();
    onclose?.();
  });
  popup.showPopover();
  place(popup, anchor, { end });
  const close = () => {
    if (popup.isConnected) popup.hidePopover();
  };
  return { popup, close };
}
