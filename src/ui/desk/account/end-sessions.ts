import { useTranslations } from 'use-intl';

import { call, Refusal } from '../api/call.ts';
import { queryClient } from '../api/query.ts';
import { useToasted } from '../kit/use-saved.ts';
import { showToast } from '../../kit/toast.tsx';

/** Ends sessions one by one, then reads their lists again; one that has ended by itself counts as ended. */
export function useEndSessions(): { isBusy: boolean; end: (ids: readonly string[]) => Promise<void> } {
  const t = useTranslations('account');
  const { isBusy, run } = useToasted();
  const end = async (ids: readonly string[]) => {
    await run(async () => {
      for (const id of ids)
        await call('endSession', { params: { id } }).catch((cause: unknown) => {
          if (!(cause instanceof Refusal && cause.status === 404)) throw cause;
        });
      showToast({ kind: 'done', text: t('ended', { count: ids.length }) });
    });
    await queryClient.invalidateQueries({ queryKey: ['listSessions'] });
  };
  return { isBusy, end };
}
