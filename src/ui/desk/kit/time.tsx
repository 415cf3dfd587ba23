import { Pause } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFormatter, useNow } from 'use-intl';

import { Hint } from '../../kit/hint.tsx';
import { Button as Pressable } from 'react-aria-components/Button';
import styles from './time.module.css';

const MINUTE = 60_000;
const UNITS: [number, string][] = [
  [7 * 24 * 60 * MINUTE, 'w'],
  [24 * 60 * MINUTE, 'd'],
  [60 * MINUTE, 'h'],
  [MINUTE, 'm'],
];

/** A length of time in its largest unit, as in a list: `3h`; `now` under a minute. */
export function shortAge(ms: number): string {
  const [size, sign] = UNITS.find(([unit]) => Math.abs(ms) >= unit) ?? [0, ''];
  return size === 0 ? 'now' : `${Math.floor(Math.abs(ms) / size)}${sign}`;
}

/** How long ago something was, with the exact time when pointed at. `isShort` as in a list. */
export function Time({ at, isShort = false }: { at: string; isShort?: boolean }) {
  const format = useFormatter();
  const date = new Date(at);
  const read = useNow({ updateInterval: MINUTE });
  // The time is read once a minute: what has just arrived is no event of the future.
  const now = read < date ? date : read;
  const text = isShort ? shortAge(now.getTime() - date.getTime()) : format.relativeTime(date, now);
  return (
    <time
      dateTime={at}
      title={format.dateTime(date, { dateStyle: 'medium', timeStyle: 'short' })}
      className={styles['time']}
    >
      {text}
    </time>
  );
}

/** A date with its time, as of what is still to come. */
export function Moment({ at }: { at: string }) {
  const format = useFormatter();
  return (
    <time dateTime={at} className={styles['time']}>
      {format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' })}
    </time>
  );
}

/** When something is due: how long until then, or how late it is. */
export function Due({
  at,
  label,
  isInLink = false,
  children,
}: {
  at: string;
  label: string;
  /** The name of the due time, shown before it. */
  children?: ReactNode;
  /** As in a row of a list: a press is the link's. */
  isInLink?: boolean;
}) {
  const format = useFormatter();
  const now = useNow({ updateInterval: MINUTE });
  const left = new Date(at).getTime() - now.getTime();
  const state = left < 0 ? 'late' : left < 60 * MINUTE ? 'soon' : 'due';
  const exact = `${label}: ${format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' })}`;
  return (
    <ClockText look={`${styles['due']} ${styles[state]}`} exact={exact} isInLink={isInLink}>
      <span aria-hidden>◷</span>
      {children}
      {left < 0 ? `${shortAge(left)} late` : shortAge(left)}
    </ClockText>
  );
}

/** A clock that stands: for how long already. */
export function Paused({
  since,
  label,
  isInLink = false,
  children,
}: {
  since: string;
  /** Why it stands; shown with when it began to when pointed at. */
  label: string;
  /** As in a row of a list: a press is the link's, and there is no room for how long. */
  isInLink?: boolean;
  children: ReactNode;
}) {
  const format = useFormatter();
  const now = useNow({ updateInterval: MINUTE });
  const at = new Date(since);
  const exact = `${label} · ${format.dateTime(at, { dateStyle: 'medium', timeStyle: 'short' })}`;
  return (
    <ClockText look={`${styles['due']} ${styles['paused']}`} exact={exact} isInLink={isInLink}>
      <Pause size={11} fill="currentColor" strokeWidth={0} aria-hidden />
      {children}
      {!isInLink && ` · ${shortAge(Math.max(0, now.getTime() - at.getTime()))}`}
    </ClockText>
  );
}

function ClockText({
  look,
  exact,
  isInLink,
  children,
}: {
  look: string;
  /** Shown when pointed at. */
  exact: string;
  isInLink: boolean;
  children: ReactNode;
}) {
  if (isInLink)
    return (
      <span className={look} title={exact}>
        {children}
      </span>
    );
  return (
    <Hint text={exact}>
      <Pressable className={look} excludeFromTabOrder>
        {children}
      </Pressable>
    </Hint>
  );
}
