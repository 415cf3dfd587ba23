import { useTranslations } from 'use-intl';

import { Refusal } from '../api/call.ts';
import { showToast } from '../kit/toast.tsx';
import { putBack } from './drafts.ts';
import { deleteScheduled, type Scheduled } from './scheduled.ts';

/** What was taken back already, below the messages: its toast still offers it. */
const undone = new Set<string>();

/** Takes a reply back before it is sent: what it says is the ticket's draft again. */
export function useUndo(): (reply: Scheduled) => Promise<void> {
  const t = useTranslations('ticket');
  return async (reply) => {
    if (undone.has(reply.id)) return;
    try {
      await deleteScheduled(reply);
      undone.add(reply.id);
      putBack(reply.authorId, reply.ticketId, reply);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      showToast({ kind: 'error', text: error.status === 404 ? t('alreadySent') : error.message });
    }
  };
}
