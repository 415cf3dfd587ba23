/** The workflows that ran on a ticket. */
export const workflowRuns = {
  title: 'Workflows',
  none: 'None has run on this ticket.',
  more: 'Show {count} more',
  until: 'until',
  running: 'Running',
  waiting: 'Waiting',
  failed: 'Failed',
  finished: 'Finished',
  stopped: 'Stopped',
};
