const GAP = 4;
const EDGE = 8;

/** Places a popup next to its anchor: below if there is room, else above, within the window. */
export function placePopup(
  popup: HTMLElement,
  anchor: HTMLElement,
  { end = false, wide = false } = {},
): void {
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
