import styles from './button.module.css';

export interface ButtonLook {
  /**
   * `primary`: the one thing to do here; `danger`: cannot be taken back; `quiet`: no border; `link`: within a line of
   * text.
   */
  kind?: 'plain' | 'primary' | 'danger' | 'quiet' | 'link';
  /** `icon`: of a sign alone. */
  size?: 'small' | 'normal' | 'icon';
}

/** The classes of a button. */
export const buttonLook = ({ kind = 'plain', size = 'normal' }: ButtonLook): string =>
  `${styles['button']} ${styles[kind]} ${styles[size]}`;
