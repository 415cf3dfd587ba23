import { CircleAlert, CircleStop } from 'lucide-react';

import { StatusSign } from '../kit/signs.tsx';
import signs from '../kit/signs.module.css';
import type { WorkflowRun } from './runs.ts';

/** The shape says the state of a run, so colour is never alone: where a ticket has such a state, it is the same one. */
export function RunSign({ state }: Pick<WorkflowRun, 'state'>) {
  const props = { size: 14, 'aria-hidden': true } as const;
  switch (state) {
    case 'running':
      return <StatusSign group="In Progress" />;
    case 'waiting':
      return <StatusSign group="Waiting" />;
    case 'finished':
      return <StatusSign group="Done" />;
    case 'stopped':
      return <CircleStop {...props} className={signs['Closed']} />;
    case 'failed':
      return <CircleAlert {...props} className={signs['failed']} />;
  }
}
