import { ArrowDown, ArrowUp, Equal } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { Refusal } from '../api/call.ts';
import { useOperation } from '../api/query.ts';
import { useSession } from '../api/session.ts';
import type { Queue, TicketDetail } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Effect, Effects } from '../kit/effects.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { move } from '../messages/dialogs.ts';
import type { Permissions } from './may.ts';
import { isOfTeam } from './readers.ts';

/** Says who gains and who loses the ticket before it is moved to a queue that others read. */
export const MoveDialog = withTexts({ move }, Moving);

function Moving({
  ticket,
  may,
  queue,
  onMove,
  onClose,
}: {
  ticket: TicketDetail;
  may: Permissions;
  queue: Queue;
  onMove: () => void;
  onClose: () => void;
}) {
  const t = useTranslations('move');
  const common = useTranslations('common');
  const { data, error, refetch } = useOperation(
    'readTicketReaders',
    { params: { id: ticket.id }, query: { queueId: queue.id } },
    { isFresh: true },
  );
  const losesIt = useLosesIt(may, queue);
  const isUnknown = error instanceof Refusal && error.isAbsent;
  return (
    <Dialog
      title={t('title', { code: ticket.code, queue: queue.name })}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{common('cancel')}</Button>
          {/* Not disabled while it is looked up: it has the focus from the start. */}
          <Button
            kind="primary"
            autoFocus
            isPending={!data && !error}
            isDisabled={!data && Boolean(error) && !isUnknown}
            onPress={onMove}
          >
            {t('action')}
          </Button>
        </>
      }
    >
      {isUnknown ? (
        <p>{t('unknown')}</p>
      ) : error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading rows={2} />
      ) : (
        <Effects>
          {data.lose > 0 && (
            <Effect sign={<ArrowDown size={14} aria-hidden />} more={losesIt ? t('loseYou') : t('loseMore')}>
              {t('lose', { count: data.lose })}
            </Effect>
          )}
          {data.gain > 0 && (
            <Effect sign={<ArrowUp size={14} aria-hidden />} more={t('gainMore')}>
              {t('gain', { count: data.gain })}
            </Effect>
          )}
          {data.lose + data.gain === 0 && <Effect sign={<Equal size={14} aria-hidden />}>{t('same')}</Effect>}
        </Effects>
      )}
    </Dialog>
  );
}

/** Returns whether the user who moves it is among those who lose access. */
function useLosesIt({ me, isParticipant }: Permissions, queue: Queue): boolean {
  const session = useSession();
  if (session?.role !== 'agent' || isParticipant || queue.visibility !== 'team') return false;
  return !isOfTeam(queue, { id: me, role: session.role, queueIds: session.queueIds });
}
