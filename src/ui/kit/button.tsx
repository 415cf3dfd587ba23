import type { ReactNode } from 'react';
import { Button as Pressable, type ButtonProps } from 'react-aria-components/Button';

import styles from './button.module.css';
import { Hint } from './hint.tsx';

interface Props extends Omit<ButtonProps, 'className' | 'style'> {
  /** `primary`: the one thing to do here; `danger`: cannot be taken back; `quiet`: no border. */
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  size?: 'small' | 'normal';
  children?: ReactNode;
}

export function Button({ kind = 'plain', size = 'normal', ...props }: Props) {
  return <Pressable {...props} className={`${styles['button']} ${styles[kind]} ${styles[size]}`} />;
}

/** A button of a sign alone: its name and its key are in its tooltip. */
export function IconButton({
  label,
  keys,
  kind = 'quiet',
  children,
  ...props
}: Omit<Props, 'aria-label'> & { label: string; keys?: string }) {
  return (
    <Hint text={label} {...(keys && { keys })}>
      <Pressable
        {...props}
        aria-label={label}
        className={`${styles['button']} ${styles[kind]} ${styles['icon']}`}
      >
        {children}
      </Pressable>
    </Hint>
  );
}
