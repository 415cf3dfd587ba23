import { useTranslations } from 'use-intl';

import { RunSign } from './run-sign.tsx';
import type { WorkflowRun } from './runs.ts';
import styles from './workflows.module.css';

/** The state of a run, as a sign and a word. */
export function RunState({ state }: Pick<WorkflowRun, 'state'>) {
  const t = useTranslations('ticket.runs');
  return (
    <span className={styles['state']}>
      <RunSign state={state} />
      {t(state)}
    </span>
  );
}
