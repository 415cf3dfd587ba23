import styles from './failure.module.css';

/** Why a form or a dialog was not saved; nothing while there is no reason. */
export function Failure({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p role="alert" className={styles['failure']}>
      {text}
    </p>
  );
}
