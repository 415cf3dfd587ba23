import type { ComponentProps } from 'react';

import { type ButtonLook, buttonLook } from './button-look.ts';
import styles from './button.module.css';

interface Props extends Omit<ComponentProps<'button'>, 'className' | 'style'>, ButtonLook {
  /** What it has begun is not done yet: it is shown, and takes no second press. */
  isPending?: boolean;
}

/** The classes of a native button. */
export const nativeButtonLook = (look: ButtonLook): string => `${buttonLook(look)} ${styles['native']}`;

/**
 * A button that looks as `Button` does and is the browser's own: React Aria's is much code for a page that has to open
 * at once, and much work in a list with ten buttons to a row.
 */
export function NativeButton({
  kind = 'plain',
  size = 'normal',
  type = 'button',
  isPending = false,
  disabled = false,
  ...props
}: Props) {
  return (
    <button
      {...props}
      type={type}
      disabled={disabled || isPending}
      aria-busy={isPending || undefined}
      className={nativeButtonLook({ kind, size })}
    />
  );
}

/** The same of a sign alone: its name is in its tooltip. */
export function NativeIconButton({
  label,
  title = label,
  kind = 'quiet',
  ...props
}: Omit<Props, 'size' | 'aria-label'> & { label: string }) {
  return <NativeButton {...props} kind={kind} size="icon" aria-label={label} title={title} />;
}
