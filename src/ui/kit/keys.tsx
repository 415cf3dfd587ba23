import styles from './keys.module.css';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
const NAMES: Record<string, string> = { Mod: isMac ? '⌘' : 'Ctrl', Enter: '↵', Escape: 'Esc', ' ': 'Space' };

/** Keys as they are printed on a keyboard: `Mod+k`, `g i`, `?`. */
export function Keys({ of }: { of: string }) {
  return (
    <span className={styles['keys']}>
      {of.split(' ').map((stroke) => (
        <kbd key={stroke}>
          {stroke
            .split('+')
            .map((key) => NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key))
            .join(isMac ? '' : ' ')}
        </kbd>
      ))}
    </span>
  );
}
