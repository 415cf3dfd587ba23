import styles from './brand.module.css';

/** The product's sign and name, at the top of the pages that people see before they are signed in. */
export function Brand() {
  return (
    <p className={styles['brand']}>
      <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden>
        <rect width="32" height="32" rx="8" fill="#0f766e" />
        <path
          d="M8 10h16a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7l-5 4v-4H8a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2z"
          fill="#fff"
        />
      </svg>
      deskbridge
    </p>
  );
}
