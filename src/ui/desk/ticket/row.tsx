import type { ReactNode, Ref } from 'react';
import { Button as Pressable, type ButtonProps } from 'react-aria-components/Button';
import { useTranslations } from 'use-intl';

import { Keys } from '../../kit/keys.tsx';
import styles from './details.module.css';

/** A part of the panel, with its heading. */
export function Section({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className={styles['section']} {...(title && { 'aria-label': title })}>
      {title && <h2 className={styles['heading']}>{title}</h2>}
      {children}
    </section>
  );
}

export function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles['row']}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A value that reads as text and opens its picker when it is pressed. `children` is a sign before the text. */
export function Value({
  label,
  text,
  keys,
  isEmpty = false,
  isWrapped = false,
  children,
  ...props
}: Omit<ButtonProps, 'className' | 'style' | 'children'> & {
  label: string;
  text: string;
  keys?: string;
  isEmpty?: boolean;
  /** The children show the text. */
  isWrapped?: boolean;
  children?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}) {
  const t = useTranslations('ticket');
  return (
    <Pressable {...props} className={`${styles['value']} ${isEmpty ? styles['empty'] : ''}`}>
      <span className="visually-hidden">{t('labelOf', { label })}</span>
      {children}
      {!(isWrapped && children) && <span className={styles['text']}>{text}</span>}
      {keys && (
        <span className={styles['keys']} aria-hidden>
          <Keys of={keys} />
        </span>
      )}
    </Pressable>
  );
}
