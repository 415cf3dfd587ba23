import { html } from '../lit.js';

/**
 * Moves an item of an ordered list, by two buttons or by a grip for pointers. The list is the parent of the
 * `li`; `onMove(to)` gets the new index, from 0, and resolves when the list is redrawn.
 */
export function mover({ words, index, count, onMove }) {
  const press = (to) => async (event) => {
    const button = event.currentTarget;
    await onMove(to);
    // A moved element loses the focus, and at the end of the list its button is disabled.
    requestAnimationFrame(() => {
      const other = button.parentElement.querySelector('button:not(:disabled)');
      (button.disabled ? other : button)?.focus();
    });
  };
  const button = (sign, direction, to) =>
    html`<button
      type="button"
      class="icon-button"
      aria-label=${`Move ${words} ${direction}`}
      ?disabled=${to < 0 || to >= count}
      @click=${press(to)}
    >
      ${sign}
    </button>`;
  return html`<span class="mover">
    <span class="grip" aria-hidden="true" @pointerdown=${(event) => drag(event, index, onMove)}>⠿</span>
    ${button('↑', 'up', index - 1)} ${button('↓', 'down', index + 1)}
  </span>`;
}

/** Follows the pointer until it is released; a line shows where the row would go. */
function drag(event, from, onMove) {
  if (event.button !== 0) return;
  event.preventDefault();
  const grip = event.currentTarget;
  const row = grip.closest('li');
  const others = [...row.parentElement.children].filter((each) => each !== row);
  const over = new AbortController();
  let to = from;
  const mark = () => {
    for (const [place, other] of others.entries()) {
      other.toggleAttribute('data-before', to !== from && place === to);
      other.toggleAttribute('data-after', to !== from && to === others.length && place === to - 1);
    }
  };
  const move = ({ clientY }) => {
    const middles = others
      .map((other) => other.getBoundingClientRect())
      .map(({ top, height }) => top + height / 2);
    to = middles.filter((middle) => middle < clientY).length;
    mark();
  };
  const end = (isDropped) => () => {
    const wanted = to;
    over.abort();
    to = from;
    mark();
    row.removeAttribute('data-dragged');
    if (isDropped && wanted !== from) void onMove(wanted);
  };
  row.setAttribute('data-dragged', '');
  grip.setPointerCapture(event.pointerId);
  const { signal } = over;
  grip.addEventListener('pointermove', move, { signal });
  grip.addEventListener('pointerup', end(true), { signal });
  grip.addEventListener('pointercancel', end(false), { signal });
}
