/**
 * Keys that are pressed for something that is still being loaded, such as a picker that a key has opened: they are kept
 * from the page, where they would run commands or be lost, and are given to what gets the focus: a field, a choice, or
 * the row of a list.
 */

/** Frames after loading in which something gets the focus, if it is to; more than the libraries need. */
const FRAMES = 10;
const TEXT_FIELD = 'input:not([type=checkbox], [type=radio]), textarea';
const ROW = '[data-current] a';
const OVERLAY = '[role=dialog], [role=alertdialog], [role=menu]';
/** Keys that move among choices. */
const MOVES = new Set(['ArrowDown', 'ArrowUp', 'Home', 'End']);
/** Keys that cannot be given: what is typed after one of them belongs to another place. */
const ELSEWHERE = new Set(['Tab', 'ArrowLeft', 'ArrowRight', 'Delete', 'PageUp', 'PageDown']);

/** How many things are being loaded. */
let loading = 0;
/** `let go`: the person has turned to something else before it was loaded. */
let state: 'off' | 'holding' | 'let go' = 'off';
let kept: string[] = [];
/** Nothing more is kept: it would be typed into the wrong field, or in the wrong place of the right one. */
let isFull = false;
/** The element that had the focus before. */
let former: Element | null = null;
/** Counts what was loaded: only the last of several gives the keys. */
let turn = 0;

/** Holds the keys of the page until the returned function is called and what was loaded has the focus. */
export function holdKeys(): () => void {
  loading++;
  if (state === 'off') begin();
  return () => {
    loading--;
    void give(++turn);
  };
}

function begin(): void {
  state = 'holding';
  kept = [];
  isFull = false;
  former = document.activeElement;
  window.addEventListener('keydown', keep, { capture: true });
  window.addEventListener('pointerdown', letGo, { capture: true });
}

function end(): void {
  state = 'off';
  window.removeEventListener('keydown', keep, { capture: true });
  window.removeEventListener('pointerdown', letGo, { capture: true });
}

/** If the user presses another element, the focus stays there. */
function letGo(): void {
  state = 'let go';
  kept = [];
}

function keep(event: KeyboardEvent): void {
  // What is pressed after it is loaded is not for it: a kept Escape would close what that key opens.
  if (state === 'let go' && loading === 0 && event.isTrusted) kept = [];
  // Those of the browser, such as reloading, stay with it; those that are not of a person are given from here.
  if (state !== 'holding' || !event.isTrusted || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  // A key that is still down is the one that opened it.
  if (event.repeat) return;
  if (event.key === 'Escape') {
    letGo();
    kept = ['Escape'];
  } else if (isFull || ELSEWHERE.has(event.key)) isFull = true;
  else if (event.key === 'Backspace' && kept.length > 0) kept.pop();
  else if (event.key.length === 1 || event.key === 'Enter' || MOVES.has(event.key)) kept.push(event.key);
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Gives the keys to what was loaded once it has the focus, unless something in it is still being loaded. */
async function give(own: number): Promise<void> {
  for (let frames = 0; frames < FRAMES; frames++) {
    await nextFrame();
    if (loading > 0 || own !== turn) return;
    const focused = document.activeElement;
    const overlay = focused?.closest(OVERLAY);
    if (focused && overlay && kept[0] === 'Escape') {
      press(focused, 'Escape');
      break;
    }
    if (!focused || focused === former) continue;
    if (focused.matches(TEXT_FIELD)) {
      await type(focused);
      break;
    }
    if (focused.matches(ROW)) {
      await goOn(own);
      // What they have opened gets the others.
      if (loading > 0 || own !== turn) return;
      break;
    }
    // An overlay has the focus itself until one of its choices gets it.
    if (overlay && overlay !== focused) {
      choose(overlay);
      break;
    }
  }
  end();
}

/** Types what was kept, and what comes meanwhile, as long as the field has the focus. */
async function type(field: Element): Promise<void> {
  for (let key = kept.shift(); key !== undefined && document.activeElement === field; key = kept.shift()) {
    if (key.length === 1) {
      // As if it were typed: the field's own undo takes it back.
      document.execCommand('insertText', false, key);
      continue;
    }
    // A list shows what was found, then marks the first.
    await nextFrame();
    await nextFrame();
    press(field, key);
  }
}

/** Moves among the choices of an overlay by what was kept, and chooses. */
function choose(overlay: Element): void {
  for (let key = kept.shift(); key !== undefined; key = kept.shift()) {
    const focused = document.activeElement;
    if (!focused || !overlay.contains(focused)) return;
    press(focused, key);
  }
}

/** Goes on by what was kept from a row of a list: to other rows, or into one. */
async function goOn(own: number): Promise<void> {
  for (let key = kept.shift(); key !== undefined; key = kept.shift()) {
    const focused = document.activeElement ?? document.body;
    // A browser follows a link only by a person's own key.
    if (key === 'Enter' && focused instanceof HTMLAnchorElement) focused.click();
    else press(focused, key);
    await nextFrame();
    if (loading > 0 || own !== turn) return;
  }
}

function press(target: Element, key: string): void {
  for (const kind of ['keydown', 'keyup'])
    target.dispatchEvent(new KeyboardEvent(kind, { key, bubbles: true, cancelable: true }));
}
