import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { call } from '../api/call.ts';
import { useOperation } from '../api/query.ts';
import type { ItemOf, TicketDetail } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Failure } from '../kit/failure.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { Picker } from '../../kit/picker.tsx';
import { Empty, Failed, Loading } from '../kit/states.tsx';
import { showToast } from '../../kit/toast.tsx';
import { useSaved } from '../kit/use-saved.ts';
import { workflows } from '../messages/workflows.ts';
import { refresh } from '../settings/parts/write.ts';
import { RUN_LISTS } from './runs.ts';
import styles from './workflows.module.css';

type Workflow = ItemOf<'listWorkflows'>;

/** Whether a workflow has a trigger for runs by hand, and one for the queue of this ticket. */
const isRunByHand = ({ steps }: Workflow, { queueId }: TicketDetail) =>
  steps.some(({ action, inputs }) => {
    const only = inputs['queueId'];
    return action === 'ticket.run' && (!only || only === queueId);
  });

/** Runs a workflow on a ticket by hand: choose it, read what it does, run it. */
export const RunWorkflowDialog = withTexts({ workflows }, Running);

function Running({ ticket, onClose }: { ticket: TicketDetail; onClose: () => void }) {
  const t = useTranslations('workflows');
  const common = useTranslations('common');
  const read = useOperation('listWorkflows', { query: { state: 'Active', limit: 1000 } }, { isFresh: true });
  // Pressed again after an answer was lost, it does not start a second run.
  const [key] = useState(() => crypto.randomUUID());
  const [chosenId, setChosenId] = useState<string>();
  const starting = useSaved();
  const offered = (read.data?.items ?? [])
    .filter((each) => isRunByHand(each, ticket))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  const chosen = offered.find(({ id }) => id === chosenId) ?? (offered.length === 1 ? offered[0] : undefined);
  const run = async ({ id, name }: Workflow) => {
    await call('runWorkflow', { params: { id }, body: { ticketId: ticket.id, key } });
    await refresh(RUN_LISTS);
    showToast({ kind: 'done', text: t('started', { name, code: ticket.code }) });
    onClose();
  };
  return (
    <Dialog
      title={t('runOn', { code: ticket.code })}
      onClose={onClose}
      {...(offered.length > 0 && {
        footer: (
          <>
            <Button onPress={onClose}>{common('cancel')}</Button>
            <Button
              kind="primary"
              isDisabled={!chosen}
              isPending={starting.isSaving}
              onPress={() => chosen && void starting.save(() => run(chosen))}
            >
              {t('runIt')}
            </Button>
          </>
        ),
      })}
    >
      {read.error ? (
        <Failed error={read.error} onRetry={() => void read.refetch()} />
      ) : read.isPending ? (
        <Loading rows={3} />
      ) : offered.length === 0 ? (
        <Empty title={t('noneByHand')}>{t('noneByHandMore')}</Empty>
      ) : (
        <div className={styles['choose']}>
          <Picker
            label={t('workflow')}
            options={offered.map(({ id, name }) => ({ id, text: name }))}
            selected={chosen ? [chosen.id] : []}
            onChange={([id]) => {
              setChosenId(id);
              starting.reset();
            }}
          />
        </div>
      )}
      {chosen?.description && <p>{chosen.description}</p>}
      <Failure text={starting.error} />
    </Dialog>
  );
}
