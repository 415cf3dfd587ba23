import { type PointerEvent, useEffect, useRef, useState } from 'react';

/** How long after the pointer has moved over a list its user may be about to press. */
const AIMED_MS = 1_000;

/** What the rows of a list are drawn from. */
interface Drawn<Item> {
  items: readonly Item[];
  /** Of which list, in which order: what its user has chosen is shown at once. */
  name: string;
  /** What decides where an item stands, besides its place among the others; as its id unless they are in groups. */
  keyOf?: (item: Item) => string;
}

/**
 * Keeps the rows of a list where they are while its user aims at one of them: what others do may move the rows, and the
 * press would hit another one. Returns the items to draw, and the handlers of the element that contains the rows.
 */
export function useSteady<Item extends { id: string }>({ items, name, keyOf = ({ id }) => id }: Drawn<Item>) {
  /** The list as it was when its user began to aim. */
  const [aimed, setAimed] = useState<Pick<Drawn<Item>, 'items' | 'name'>>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const end = () => {
    clearTimeout(timer.current);
    setAimed(undefined);
  };
  const begin = () => {
    clearTimeout(timer.current);
    setAimed((before) => (before?.name === name ? before : { items, name }));
  };
  const beginAndEnd = () => {
    begin();
    timer.current = setTimeout(end, AIMED_MS);
  };
  return {
    items:
      aimed?.name === name && isMoved(aimed.items, items, keyOf) ? inPlace(aimed.items, items, keyOf) : items,
    // On the way down: what is pressed may keep the events for itself.
    handlers: {
      onPointerMoveCapture: ({ buttons, movementX, movementY }: PointerEvent) => {
        // Pressed, it ends with the press. A browser also sends a move when rows move below a pointer that rests.
        if (buttons === 0 && (movementX !== 0 || movementY !== 0)) beginAndEnd();
      },
      onPointerDownCapture: begin,
      onPointerUpCapture: beginAndEnd,
      onPointerCancelCapture: end,
      onPointerLeave: end,
    },
  };
}

/** Whether rows that were shown would move; not if others only follow them. */
const isMoved = <Item>(
  before: readonly Item[],
  now: readonly Item[],
  keyOf: (item: Item) => string,
): boolean =>
  before.some((item, at) => {
    const other = now[at];
    return item !== other && (other === undefined || keyOf(item) !== keyOf(other));
  });

/** The rows that were shown, in their places, as they are now. */
function inPlace<Item>(
  before: readonly Item[],
  now: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Item[] {
  const known = new Map(now.map((item) => [keyOf(item), item]));
  return before.map((item) => known.get(keyOf(item)) ?? item);
}
