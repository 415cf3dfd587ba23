import { Circle, CircleCheck, CircleCheckBig, CircleDashed, CircleDot, CirclePause } from 'lucide-react';

import styles from './signs.module.css';

/** An icon for a status's group (`statusGroup.label`): each group has its own shape, so that colour is not needed. */
export function StatusSign({ group, size = 14 }: { group: string | undefined; size?: number }) {
  const props = {
    size,
    'aria-hidden': true,
    className: styles[(group ?? '').replace(' ', '')] ?? '',
  } as const;
  switch (group) {
    case 'Open':
      return <Circle {...props} />;
    case 'In Progress':
      return <CircleDot {...props} />;
    case 'Waiting':
      return <CirclePause {...props} />;
    case 'Done':
      return <CircleCheckBig {...props} />;
    case 'Closed':
      return <CircleCheck {...props} />;
    default:
      return <CircleDashed {...props} />;
  }
}

const BARS: Record<string, number> = { LOW: 1, MEDIUM: 2, HIGH: 3, URGENT: 4 };

/** An icon for a priority: more bars for a higher one, a filled square for urgent. */
export function PrioritySign({ priority, size = 14 }: { priority: string; size?: number }) {
  const bars = BARS[priority] ?? 0;
  if (bars === 4)
    return (
      <svg width={size} height={size} viewBox="0 0 14 14" aria-hidden className={styles['urgent']}>
        <rect x="1" y="1" width="12" height="12" rx="3" />
        <path d="M7 3.5v4M7 9.6v.9" />
      </svg>
    );
  return (
    <svg width={size} height={size} viewBox="0 0 14 14" aria-hidden className={styles['bars']}>
      {[0, 1, 2].map((bar) => (
        <rect
          key={bar}
          x={1 + bar * 4.5}
          y={9 - bar * 3.5}
          width="3"
          height={4 + bar * 3.5}
          rx="1"
          data-on={bar < bars || undefined}
        />
      ))}
    </svg>
  );
}
