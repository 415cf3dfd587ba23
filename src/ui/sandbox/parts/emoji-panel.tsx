import { type KeyboardEvent, useRef, useState } from 'react';

import { NativeInput } from '../../kit/native-field.tsx';
import { Panel } from '../../kit/panel.tsx';
import { Emoji, findEmoji, FIRST, GROUPS, HAS_FONT } from '../emoji.tsx';
import { classNames } from './class-names.ts';
import type { Opened } from './opening-button.tsx';

/** All emoji: arrow keys move, typing searches, Enter takes the first. */
export function EmojiPanel({
  onTake,
  ...beside
}: Opened & {
  placement: 'bottom start' | 'bottom end';
  onTake: (name: string) => void;
}) {
  const search = useRef<HTMLInputElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  const moveInGrid = (event: KeyboardEvent) => {
    const all = [...(grid.current?.querySelectorAll('button') ?? [])];
    const at = all.findIndex((node) => node === document.activeElement);
    const top = all[0]?.offsetTop ?? 0;
    const perRow = all.findIndex((node) => node.offsetTop > top);
    const row = perRow > 0 ? perRow : all.length;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row }[event.key];
    if (step === undefined || at < 0) return;
    event.preventDefault();
    (all[at + step] ?? (step < 0 ? search.current : all.at(-1)))?.focus();
  };
  return (
    <Panel {...beside} label="Emoji" look={{ popover: 'emoji-popover', dialog: 'emoji-picker' }}>
      <NativeInput
        ref={search}
        type="search"
        placeholder="Search emoji"
        aria-label="Search emoji"
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          const first = grid.current?.querySelector('button');
          if (event.key === 'ArrowDown') first?.focus();
          else if (event.key === 'Enter') first?.click();
          else return;
          event.preventDefault();
        }}
      />
      <div ref={grid} className={classNames('emoji-grid', !HAS_FONT && 'names')} onKeyDown={moveInGrid}>
        <Choices typed={typed.trim().replaceAll(':', '')} onTake={onTake} />
      </div>
    </Panel>
  );
}

function Choices({ typed, onTake }: { typed: string; onTake: (name: string) => void }) {
  const choices = (names: readonly (string | undefined)[]) =>
    names.map(
      (name) =>
        name && (
          <button
            key={name}
            type="button"
            className="emoji-choice"
            title={`:${name}:`}
            aria-label={name.replaceAll('_', ' ')}
            onClick={() => onTake(name)}
          >
            <Emoji name={name} />
          </button>
        ),
    );
  if (typed !== '') return choices(findEmoji(typed, 48));
  return (
    <>
      <h3>Often used</h3>
      {choices(FIRST)}
      {GROUPS.flatMap(({ title, emoji }) => [
        <h3 key={title}>{title}</h3>,
        ...choices(emoji.map(([, name]) => name)),
      ])}
    </>
  );
}
