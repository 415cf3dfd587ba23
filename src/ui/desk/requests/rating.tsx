import { useState } from 'react';
import { useNow, useTranslations } from 'use-intl';

import { call } from '../api/call.ts';
import { ticketsChanged } from '../api/tickets.ts';
import type { TicketDetail } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/field.tsx';
import { Failure } from '../kit/failure.tsx';
import { useSaved } from '../kit/use-saved.ts';
import styles from './requests.module.css';

const SCORES = ['bad', 'poor', 'fair', 'good', 'great'] as const;
/** For how long a rating can be changed, as in chat. */
const CHANGED_FOR_MS = 7 * 24 * 60 * 60_000;

/** Asks how the help was, and shows what was answered. */
export function Rating({ ticket, me }: { ticket: TicketDetail; me: string }) {
  const t = useTranslations('requests');
  const now = useNow();
  const given = ticket.csat.at(-1);
  const [isChanged, setChanged] = useState(false);
  const isOpen = ticket.resolvedAt !== null && Date.parse(ticket.resolvedAt) + CHANGED_FOR_MS > now.getTime();
  if (given && !isChanged)
    return (
      <section className={styles['panel']} aria-label={t('rate')}>
        <p>
          {t('rated', { score: given.score })}{' '}
          {isOpen && (
            <Button size="small" kind="quiet" onPress={() => setChanged(true)}>
              {t('changeRating')}
            </Button>
          )}
        </p>
        {given.feedback && <p className={styles['quiet']}>{given.feedback}</p>}
      </section>
    );
  if (!isOpen) return null;
  return <Asked ticket={ticket} me={me} given={given} onDone={() => setChanged(false)} />;
}

function Asked({
  ticket,
  me,
  given,
  onDone,
}: {
  ticket: TicketDetail;
  me: string;
  given: { score: number; feedback: string | null } | undefined;
  onDone: () => void;
}) {
  const t = useTranslations('requests');
  const [score, setScore] = useState(given?.score);
  const [feedback, setFeedback] = useState(given?.feedback ?? '');
  const [isUnchosen, setUnchosen] = useState(false);
  const saved = useSaved();
  const send = async () => {
    if (!score) {
      setUnchosen(true);
      return;
    }
    await saved.save(async () => {
      await call('rateTicket', {
        params: { id: ticket.id },
        body: { score, feedback: feedback.trim() || null, userId: me },
      });
      ticketsChanged([ticket.id]);
      onDone();
    });
  };
  return (
    <form
      className={styles['panel']}
      aria-label={t('rate')}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <fieldset className={styles['rate']}>
        <legend>{t('rate')}</legend>
        <div className={styles['scores']}>
          {SCORES.map((word, at) => (
            <label key={word}>
              {/* The browser's own, in a fieldset: the pages of those who ask load little. */}
              <input
                type="radio"
                name="score"
                value={at + 1}
                checked={score === at + 1}
                onChange={() => {
                  setScore(at + 1);
                  setUnchosen(false);
                }}
              />
              <span className={styles['number']}>{at + 1}</span>
              {t(`score.${word}`)}
            </label>
          ))}
        </div>
      </fieldset>
      {score !== undefined && (
        <TextField
          label={t('comment')}
          help={t('commentHelp')}
          value={feedback}
          onChange={setFeedback}
          rows={2}
          maxLength={10_000}
        />
      )}
      <Failure text={isUnchosen ? t('chooseScore') : saved.error} />
      <Button type="submit" kind={score === undefined ? 'plain' : 'primary'} isPending={saved.isSaving}>
        {t('sendRating')}
      </Button>
    </form>
  );
}
