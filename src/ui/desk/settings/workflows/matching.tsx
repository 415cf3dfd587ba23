import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';

import { call } from '../../api/call.ts';
import type { Answer, ItemOf } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { CalledOff } from '../../kit/use-saved.ts';
import { isMissing } from '../parts/write.ts';

type Matching = Answer<'countMatchingTickets'>;
type Choice = 'include' | 'leave out' | 'cancel';

const NONE: Matching = { count: 0, isCapped: false };

/**
 * Asks, before a workflow is activated, what becomes of the tickets that match it already. `choose` resolves to what
 * the activation says of them, and throws CalledOff if the person does not want it after all; `question` is to be
 * shown.
 */
export function useMatching({ id, name }: Pick<ItemOf<'listWorkflows'>, 'id' | 'name'>): {
  choose: () => Promise<{ includeMatching?: number }>;
  question: ReactNode;
} {
  const [asked, setAsked] = useState<{ matching: Matching; answer: (choice: Choice) => void }>();
  const ask = (matching: Matching) => {
    const { promise, resolve } = Promise.withResolvers<Choice>();
    setAsked({ matching, answer: resolve });
    return promise.finally(() => setAsked(undefined));
  };
  const choose = async () => {
    const matching = await countMatching(id);
    if (matching.count === 0) return {};
    const choice = await ask(matching);
    if (choice === 'cancel') throw new CalledOff();
    return choice === 'include' ? { includeMatching: matching.count } : {};
  };
  return { choose, question: asked && <Question name={name} {...asked} /> };
}

async function countMatching(id: string): Promise<Matching> {
  try {
    return await call('countMatchingTickets', { params: { id } });
  } catch (error) {
    if (!isMissing(error)) throw error;
    return NONE;
  }
}

function Question({
  name,
  matching: { count, isCapped },
  answer,
}: {
  name: string;
  matching: Matching;
  answer: (choice: Choice) => void;
}) {
  const t = useTranslations('workflows');
  const common = useTranslations('common');
  const cancel = () => answer('cancel');
  return (
    <Dialog
      title={t('matchingTitle', { name })}
      onClose={cancel}
      footer={
        <>
          <Button onPress={cancel}>{common('cancel')}</Button>
          {!isCapped && <Button onPress={() => answer('include')}>{t('include', { count })}</Button>}
          <Button kind="primary" onPress={() => answer('leave out')}>
            {t('leaveOut', { count })}
          </Button>
        </>
      }
    >
      <p>{isCapped ? t('matchingMost', { count }) : t('matching', { count })}</p>
      <p>{t('leftOut')}</p>
    </Dialog>
  );
}
