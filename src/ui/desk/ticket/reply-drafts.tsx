import { useTranslations } from 'use-intl';

import { call } from '../api/call.ts';
import { ticketsChanged } from '../api/tickets.ts';
import type { ItemOf, TicketDetail } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Markdown } from './markdown.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { replyDrafts } from '../messages/reply-drafts.ts';
import { useToasted } from '../kit/use-saved.ts';
import styles from './reply-drafts.module.css';
import threadStyles from './thread.module.css';

type ReplyDraft = ItemOf<'listReplyDrafts'>;

/** Replies that AI tools or colleagues drafted, for somebody of the team to send. */
export const ReplyDrafts = withTexts({ replyDrafts }, Drafts);

function Drafts({ ticket, drafts }: { ticket: TicketDetail; drafts: readonly ReplyDraft[] }) {
  const t = useTranslations('replyDrafts');
  return (
    <section className={styles['drafts']} aria-label={t('title')}>
      {drafts.map((draft) => (
        <Draft key={draft.id} ticket={ticket} draft={draft} />
      ))}
    </section>
  );
}

function Draft({
  ticket,
  draft: { id, version, content, author },
}: {
  ticket: TicketDetail;
  draft: ReplyDraft;
}) {
  const t = useTranslations('replyDrafts');
  const { isBusy, run } = useToasted();
  const act = async (change: () => Promise<unknown>) => {
    await run(change);
    ticketsChanged([ticket.id]);
  };
  return (
    <article className={styles['draft']}>
      <header>{t('by', { name: author.name })}</header>
      <Markdown text={content} className={threadStyles['text']} />
      <footer>
        <Button
          size="small"
          kind="primary"
          isDisabled={isBusy}
          onPress={() => void act(() => call('sendReplyDraft', { params: { id }, body: { version } }))}
        >
          {t('send')}
        </Button>
        <Button
          size="small"
          isDisabled={isBusy}
          onPress={() => void act(() => call('deleteReplyDraft', { params: { id }, query: { version } }))}
        >
          {t('delete')}
        </Button>
      </footer>
    </article>
  );
}
