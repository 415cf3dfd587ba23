import { Clock, TriangleAlert } from 'lucide-react';
import { type RefObject, useCallback, useEffect, useState } from 'react';
import { useFormatter, useNow, useTranslations } from 'use-intl';

import { useLiveEvent } from '../api/live.ts';
import { nameOf, usePeople } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import { useRole } from '../api/session.ts';
import { ticketsChanged } from '../api/tickets.ts';
import type { Person, TicketDetail } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Button } from '../../kit/button.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { Panel } from '../../kit/panel.tsx';
import { endsWithUndo, showToast } from '../../kit/toast.tsx';
import { actions } from '../messages/actions.ts';
import { DateChooser } from './date-chooser.tsx';
import detailsStyles from './details.module.css';
import { EditText } from './edit-text.tsx';
import { Files } from './files.tsx';
import { toastRefusal } from '../kit/toast-refusal.ts';
import type { Permissions } from './may.ts';
import { Content } from './message.tsx';
import { isUndoable, lookAgain, type Scheduled, UNDO_SECONDS } from './scheduled.ts';
import { changeScheduled, deleteScheduled, schedule, sendNow, undoReply } from './send.ts';
import styles from './thread.module.css';

const TEXTS = { actions };

interface Props {
  ticket: Pick<TicketDetail, 'id'>;
  may: Permissions;
  /** At least one. */
  replies: readonly Scheduled[];
}

/** The replies on a ticket that are not sent yet, below its messages. */
export const ScheduledReplies = withTexts(TEXTS, Replies);

function Replies({ ticket, may, replies }: Props) {
  const t = useTranslations('actions');
  const people = usePeople(replies.map(({ authorId }) => authorId));
  // That one was held back, its author is notified of.
  useLiveEvent(
    'notifications',
    useCallback(() => lookAgain(ticket.id), [ticket.id]),
  );
  return (
    <ol className={styles['entries']} aria-label={t('scheduled')}>
      {replies.map((reply) => (
        <Reply key={reply.id} may={may} reply={reply} author={people.get(reply.authorId)} />
      ))}
    </ol>
  );
}

function Reply({ may, reply, author }: { may: Permissions; reply: Scheduled; author: Person | undefined }) {
  const { content, html, files, heldBecause, heldDetail } = reply;
  const t = useTranslations('actions');
  const ticketTexts = useTranslations('ticket');
  const common = useTranslations('common');
  const isAdmin = useRole() === 'admin';
  const [isEdited, setEdited] = useState(false);
  const isOwn = reply.authorId === may.me;
  const canUndo = isUndoable(reply);
  const again = () =>
    toastRefusal(async () => {
      const sendAt = new Date(reply.sendAt);
      await schedule(reply.ticketId, { content, files, sendAt, statusId: reply.statusId ?? undefined });
    });
  const remove = () =>
    endsWithUndo(
      toastRefusal(async () => {
        await deleteScheduled(reply);
        showToast({ kind: 'done', text: t('deleted'), ...(isOwn && !heldBecause && { undo: again }) });
      }),
    );
  return (
    <li className={styles['message']} data-kind="answered" data-scheduled={heldBecause ? 'held' : 'waiting'}>
      <header className={styles['head']}>
        <Avatar person={author} />
        <strong>{nameOf(author)}</strong>
        <span className={styles['when']} data-held={heldBecause ?? undefined}>
          {heldBecause ? <TriangleAlert size={12} aria-hidden /> : <Clock size={12} aria-hidden />}
          {heldBecause ? (
            t(`held.${heldBecause}` as never, { name: nameOf(author), detail: heldDetail ?? '' } as never)
          ) : (
            <When reply={reply} />
          )}
        </span>
      </header>
      {isEdited ? (
        <EditText
          content={content}
          html={html}
          save={(changed) => changeScheduled(reply, { content: changed })}
          onClose={() => setEdited(false)}
        />
      ) : (
        <>
          <Content content={content} html={html} />
          <Files files={files} />
          <span className={styles['buttons']}>
            {isOwn && canUndo && (
              <Button size="small" onPress={() => void undoReply(reply, ticketTexts('alreadySent'))}>
                {t('undo')}
              </Button>
            )}
            {isOwn && (
              <Button size="small" onPress={() => void toastRefusal(() => sendNow(reply))}>
                {heldBecause ? t('sendAnyway') : t('sendNow')}
              </Button>
            )}
            {isOwn && !canUndo && (
              <Button size="small" onPress={() => setEdited(true)}>
                {common('edit')}
              </Button>
            )}
            {(isOwn || isAdmin) && !canUndo && (
              <Button size="small" onPress={() => void remove()}>
                {common('delete')}
              </Button>
            )}
          </span>
        </>
      )}
    </li>
  );
}

const SECOND = 1_000;
/** How often what is due is looked for: the service sends it within a second. */
const LOOK_MS = 1_500;

/** When a reply is sent; as soon as it is, the conversation has it as a message. */
function When({ reply }: { reply: Scheduled }) {
  const { sendAt, createdAt, updatedAt, statusId, ticketId } = reply;
  const t = useTranslations('actions');
  const format = useFormatter();
  const status = useChoices('listStatuses').find(({ id }) => id === statusId);
  const [shownAt] = useState(() => Date.now());
  const now = useNow({ updateInterval: SECOND }).getTime();
  const canUndo = isUndoable(reply);
  // By this browser's clock, which may be another than the service's: seconds count from when it was first shown.
  const undoneUntil = updatedAt === createdAt ? shownAt + UNDO_SECONDS * SECOND : now;
  const left = (canUndo ? undoneUntil : Date.parse(sendAt)) - now;
  const isDue = left <= 0;
  useEffect(() => {
    if (!isDue) return;
    const timer = setInterval(() => lookAgain(ticketId), LOOK_MS);
    return () => {
      clearInterval(timer);
      ticketsChanged([ticketId]);
    };
  }, [isDue, ticketId]);
  if (isDue) return t('sendingNow');
  if (canUndo) return t('sendingIn', { seconds: Math.min(UNDO_SECONDS, Math.ceil(left / SECOND)) });
  const time = format.dateTime(new Date(sendAt), { dateStyle: 'medium', timeStyle: 'short' });
  return `${t('scheduledFor', { time })}${status ? t('andStatus', { status: status.label }) : ''}`;
}

/** Asks when a reply is to be sent. */
export function SendLater({
  trigger,
  onChoose,
  onClose,
}: {
  trigger: RefObject<HTMLElement | null>;
  onChoose: (at: Date) => void;
  onClose: () => void;
}) {
  const t = useTranslations('ticket');
  return (
    <Panel
      label={t('sendLater')}
      trigger={trigger}
      placement="bottom end"
      look={{ popover: detailsStyles['popover'] ?? '', dialog: detailsStyles['dialog'] ?? '' }}
      onClose={onClose}
    >
      <DateChooser
        kind="snooze"
        value={null}
        removeLabel=""
        onChoose={(at) => {
          if (at) onChoose(at);
        }}
      />
    </Panel>
  );
}
