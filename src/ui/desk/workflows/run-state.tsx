import { useTranslations } from 'use-intl';

import { withTexts } from '../kit/more-texts.tsx';
import { workflowRuns } from '../messages/workflow-runs.ts';
import { RunSign } from './run-sign.tsx';
import type { WorkflowRun } from './runs.ts';
import styles from './workflows.module.css';

/** The state of a run, as a sign and a word. */
export const RunState = withTexts({ workflowRuns }, State);

function State({ state }: Pick<WorkflowRun, 'state'>) {
  const t = useTranslations('workflowRuns');
  return (
    <span className={styles['state']}>
      <RunSign state={state} />
      {t(state)}
    </span>
  );
}
