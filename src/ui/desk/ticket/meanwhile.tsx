import { useTranslations } from 'use-intl';

import { authorOfMessage } from '../api/author.ts';
import { nameOf, usePeople } from '../api/people.ts';
import type { Message } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { Time } from '../kit/time.tsx';
import { actions } from '../messages/actions.ts';
import { Content } from './message.tsx';
import styles from './thread.module.css';

const TEXTS = { actions };

interface Props {
  /** Newest first; at least one. */
  replies: readonly Message[];
  onSend: () => void;
  onKeep: () => void;
}

/** Shows what others replied while one wrote, before a reply goes out over it. */
export const Meanwhile = withTexts(TEXTS, Question);

function Question({ replies, onSend, onKeep }: Props) {
  const t = useTranslations('actions');
  const people = usePeople(replies.flatMap(({ authorId }) => authorId ?? []));
  const [newest] = replies;
  return (
    <Dialog
      title={t('repliedMeanwhile', { name: nameOf(newest && authorOfMessage(newest, people)) })}
      onClose={onKeep}
      footer={
        <>
          <Button onPress={onSend}>{t('sendAnyway')}</Button>
          <Button kind="primary" autoFocus onPress={onKeep}>
            {t('keepEditing')}
          </Button>
        </>
      }
    >
      <p>{t('repliedMore')}</p>
      <ol className={styles['replies']}>
        {replies.toReversed().map((message) => (
          <li key={message.id} className={styles['message']} data-kind="answered">
            <div className={styles['head']}>
              <Avatar person={authorOfMessage(message, people)} />
              <strong>{nameOf(authorOfMessage(message, people))}</strong>
              <Time at={message.createdAt} />
            </div>
            <Content content={message.content} html={message.html} />
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
