import { type SubmitEvent, useState } from 'react';
import { useTranslations } from 'use-intl';

import { call } from '../../api/call.ts';
import type { Answer, ItemOf } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { SavedSign } from '../parts/fields.tsx';
import { Group } from '../parts/page.tsx';
import { useSaved } from '../../kit/use-saved.ts';
import { problemText } from './problems.ts';
import { Timeline } from '../../workflows/timeline.tsx';
import styles from '../../workflows/workflows.module.css';

/** Tests a workflow on one ticket: shows its steps and problems without changing anything. */
export function TryOut({ workflow }: { workflow: ItemOf<'listWorkflows'> }) {
  const t = useTranslations('workflows');
  const [ticketId, setTicketId] = useState('');
  const [tried, setTried] = useState<Answer<'tryWorkflow'>>();
  const trying = useSaved();
  const tryIt = (event: SubmitEvent) => {
    event.preventDefault();
    void trying.save(async () => {
      setTried(undefined);
      setTried(
        await call('tryWorkflow', { params: { id: workflow.id }, body: { ticketId: ticketId.trim() } }),
      );
    });
  };
  return (
    <Group title={t('tryIt')} help={t('tryHelp')}>
      <form className={styles['form']} onSubmit={tryIt}>
        <TextField
          label={t('ticket')}
          help={t('tryTicket')}
          value={ticketId}
          onChange={setTicketId}
          isRequired
        />
        <Button type="submit" isPending={trying.isSaving}>
          {t('try')}
        </Button>
        {trying.state === 'failed' && <SavedSign of={trying} />}
      </form>
      {tried && (
        <div role="status">
          {tried.problems.length > 0 && (
            <ul>
              {tried.problems.map((problem) => (
                <li key={problem.path + problem.message}>
                  {problemText((workflow.draft ?? workflow).steps, problem)}
                </li>
              ))}
            </ul>
          )}
          <Timeline steps={tried.steps} />
        </div>
      )}
    </Group>
  );
}
