import { GripVertical } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import styles from './ordered.module.css';

/**
 * A list in an order that people change: by dragging the grip, or with the arrow keys on it. `onMove` gets the new
 * index and shows it at once.
 */
export function Ordered<Row extends { id: string }>({
  label,
  rows,
  nameOf,
  onMove,
  children,
}: {
  label: string;
  rows: readonly Row[];
  nameOf: (row: Row) => string;
  onMove: (row: Row, to: number) => void;
  /** Draws a row. */
  children: (row: Row) => ReactNode;
}) {
  const t = useTranslations('settings');
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<{ id: string; from: number; to: number }>();
  const [said, setSaid] = useState('');
  const move = (row: Row, to: number) => {
    if (to < 0 || to >= rows.length || rows[to]?.id === row.id) return;
    onMove(row, to);
    setSaid(t('moved', { name: nameOf(row), place: to + 1, count: rows.length }));
  };
  const onKeyDown = (event: KeyboardEvent, row: Row, index: number) => {
    const to = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(row, to);
    const grip = event.currentTarget as HTMLElement;
    // An element that was moved in the document loses the focus.
    requestAnimationFrame(() => grip.focus());
  };
  const indexAt = (y: number, from: number) =>
    [...(list.current?.children ?? [])]
      .filter((_, index) => index !== from)
      .map((row) => row.getBoundingClientRect())
      .filter(({ top, height }) => top + height / 2 < y).length;
  const gripProps = (row: Row, index: number) => ({
    onKeyDown: (event: KeyboardEvent) => onKeyDown(event, row, index),
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({ id: row.id, from: index, to: index });
    },
    onPointerMove: (event: PointerEvent) => {
      if (drag) setDrag({ ...drag, to: indexAt(event.clientY, drag.from) });
    },
    onPointerUp: (event: PointerEvent) => {
      setDrag(undefined);
      // Where it is let go: on a busy machine, its last moves may not be drawn yet.
      if (drag) move(row, indexAt(event.clientY, drag.from));
    },
    onPointerCancel: () => setDrag(undefined),
  });
  const edge = (index: number) => {
    if (!drag || drag.to === drag.from || index === drag.from) return undefined;
    const place = index > drag.from ? index - 1 : index;
    if (place === drag.to) return 'before';
    return drag.to === rows.length - 1 && place === drag.to - 1 ? 'after' : undefined;
  };
  return (
    <>
      <ol ref={list} aria-label={label} className={styles['list']}>
        {rows.map((row, index) => (
          <li key={row.id} data-dragged={drag?.id === row.id || undefined} data-edge={edge(index)}>
            {/* The browser's own: a button of React Aria's keeps the moves of a pointer to itself. */}
            <button
              type="button"
              className={styles['grip']}
              aria-label={t('move', { name: nameOf(row) })}
              title={t('moveHelp')}
              {...gripProps(row, index)}
            >
              <GripVertical size={14} aria-hidden />
            </button>
            <div className={styles['row']}>{children(row)}</div>
          </li>
        ))}
      </ol>
      <p role="status" className="visually-hidden">
        {said}
      </p>
    </>
  );
}
