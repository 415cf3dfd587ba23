import type { ReactNode } from 'react';
import { Button as Pressable, type ButtonProps } from 'react-aria-components/Button';

import { type ButtonLook, buttonLook } from './button-look.ts';
import { Hint } from './hint.tsx';

interface Props extends Omit<ButtonProps, 'className' | 'style'>, Pick<ButtonLook, 'kind'> {
  size?: 'small' | 'normal';
  children?: ReactNode;
}

export function Button({ kind = 'plain', size = 'normal', ...props }: Props) {
  return <Pressable {...props} className={buttonLook({ kind, size })} />;
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
      <Pressable {...props} aria-label={label} className={buttonLook({ kind, size: 'icon' })}>
        {children}
      </Pressable>
    </Hint>
  );
}
