import { Bot, Ellipsis, Lock, Workflow } from 'lucide-react';
import { memo, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';

import { nameOf, usePeople } from '../api/people.ts';
import type { Message, Person } from '../api/types.ts';
import type { FileRecord } from '../files/record.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Button } from '../../kit/button.tsx';
import { part } from '../../kit/part.ts';
import { Time } from '../kit/time.tsx';
import { Files } from './files.tsx';
import { opened } from './opened.ts';
import { isSending } from './sending.ts';
import styles from './thread.module.css';

/** Stored messages come with their HTML: what makes it is only for texts that are not stored yet. */
const Markdown = part(() => import('./markdown.tsx').then(({ Markdown }) => Markdown));

/** Longer messages are folded. */
const LINES = 12;
/** Characters of a line of a message, about; one that is folded a line early or late does no harm. */
const LINE = 88;

/** How many lines a text takes, by its characters: measuring hundreds of messages would hold up the page. */
const linesOf = (text: string) =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE)), 0);

/** A text of a message, folded if it is long; one that somebody came for is not, until they fold it. */
export function Content({
  content,
  html,
  isMarked = false,
}: {
  content: string;
  html: string | undefined;
  isMarked?: boolean;
}) {
  const t = useTranslations('ticket');
  const [isPressed, setPressed] = useState<boolean>();
  const isWhole = isPressed ?? isMarked;
  const isLong = useMemo(() => linesOf(content) > LINES + 2, [content]);
  const isFolded = isLong && !isWhole;
  return (
    <>
      {html === undefined ? (
        <Suspense fallback={<div className={styles['text']}>{content}</div>}>
          <Markdown text={content} className={styles['text']} {...(isFolded && { 'data-folded': true })} />
        </Suspense>
      ) : (
        <div
          className={styles['text']}
          data-folded={isFolded || undefined}
          dangerouslySetInnerHTML={{ __html: opened(html) }}
        />
      )}
      {isLong && (
        <Button kind="quiet" size="small" aria-expanded={isWhole} onPress={() => setPressed(!isWhole)}>
          {isWhole ? t('showLess') : t('showAll')}
        </Button>
      )}
    </>
  );
}

/** A message: the requester's left, the team's tinted, internal notes with a lock. */
export const MessageItem = memo(function MessageItem({
  message,
  author,
  isRequester,
  isFirstNew,
  isMarked = false,
  edit,
  openActions,
  areActionsOpen = false,
}: {
  message: Message;
  author: Person | undefined;
  isRequester: boolean;
  isFirstNew: boolean;
  /** The address of the page names it. */
  isMarked?: boolean;
  /** The editor that replaces the text. */
  edit?: ReactNode;
  /** Opens what can be done with it beside the button; absent where nothing can be done. */
  openActions?: ((message: Message, button: HTMLButtonElement) => void) | undefined;
  areActionsOpen?: boolean;
}) {
  const t = useTranslations('ticket');
  const { deleted, source, status, createdAt, content, html, reactions } = message;
  const files = (message as { files?: FileRecord[] }).files ?? [];
  const kind = message.private ? 'note' : isRequester ? 'asked' : 'answered';
  return (
    <>
      {isFirstNew && (
        <li className={styles['new']}>
          <span>{t('new')}</span>
        </li>
      )}
      <li
        className={styles['message']}
        data-kind={kind}
        data-sending={isSending(message) || undefined}
        aria-current={isMarked || undefined}
        id={message.id}
      >
        <header className={styles['head']}>
          <Avatar person={author} />
          <strong>{nameOf(author)}</strong>
          {message.agent && (
            <span className={styles['ai']}>
              <Bot size={12} aria-hidden />
              {t('aiAgent')}
            </span>
          )}
          {message.workflow && (
            <span className={styles['ai']}>
              <Workflow size={12} aria-hidden />
              {t('workflow')}
            </span>
          )}
          {message.private && (
            <span className={styles['lock']}>
              <Lock size={12} aria-hidden />
              {t('internalNote')}
            </span>
          )}
          {source === 'CHAT' && <span className={styles['dim']}>{t('inChat')}</span>}
          {source === 'EMAIL' && <span className={styles['dim']}>{t('byEmail')}</span>}
          {status === 'EDITED' && !deleted && <span className={styles['dim']}>{t('edited')}</span>}
          {isSending(message) ? (
            <span className={styles['dim']}>{t('sending')}</span>
          ) : (
            <Time at={createdAt} />
          )}
          {openActions && !deleted && !isSending(message) && (
            // A plain button: there are hundreds of them, and one menu.
            <button
              type="button"
              className={styles['actions']}
              aria-label={t('messageActions', { name: nameOf(author) })}
              aria-haspopup="menu"
              aria-expanded={areActionsOpen}
              onClick={({ currentTarget }) => openActions(message, currentTarget)}
            >
              <Ellipsis size={16} aria-hidden />
            </button>
          )}
        </header>
        {deleted ? (
          <p className={styles['dim']}>{t('deletedMessage')}</p>
        ) : edit ? (
          edit
        ) : (
          <>
            <Content content={content} html={html} isMarked={isMarked} />
            <Files files={files} />
          </>
        )}
        {!deleted && reactions.length > 0 && <Reactions reactions={reactions} />}
      </li>
    </>
  );
});

interface Reaction {
  emoji: string;
  authorId: string | null;
  /** The emoji itself, from the desk's server. */
  sign?: string;
}

function Reactions({ reactions }: { reactions: readonly Reaction[] }) {
  const t = useTranslations('ticket');
  const people = usePeople(reactions.flatMap(({ authorId }) => authorId ?? []));
  const groups = Map.groupBy(reactions, ({ sign, emoji }) => sign ?? `:${emoji}:`);
  return (
    <ul className={styles['reactions']}>
      {[...groups].map(([emoji, each]) => {
        const names = each.map(({ authorId }) => nameOf(people.get(authorId ?? ''))).join(', ');
        return (
          <li key={emoji} title={names}>
            <span aria-hidden>
              {emoji} {each.length > 1 && each.length}
            </span>
            <span className="visually-hidden">{t('reactedBy', { emoji, names })}</span>
          </li>
        );
      })}
    </ul>
  );
}
