import { Lock } from 'lucide-react';
import {
  type KeyboardEvent,
  type RefObject,
  Suspense,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from 'react';
import { TextArea } from 'react-aria-components/TextArea';
import { useTranslations } from 'use-intl';

import { nameOf, usePerson } from '../api/people.ts';
import type { TicketDetail } from '../api/types.ts';
import { UploadList } from '../files/upload-list.tsx';
import { useUploads } from '../files/uploads.ts';
import { useCommands } from '../kit/commands.ts';
import { Late } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { focusHeading } from '../kit/skip-link.tsx';
import { audienceOf } from './audience.ts';
import { useAudienceChannel } from './audience-channel.ts';
import { claim } from './claim.ts';
import { ComposerTools } from './composer-tools.tsx';
import styles from './composer.module.css';
import { useDraft } from './drafts.ts';
import { formatByKey } from './format-buttons.tsx';
import type { Permissions } from './may.ts';
import { fromContent, type Mentioned } from './mentions.ts';
import type { usePresence } from './presence.ts';
import { type Quote, quoted } from './quote.ts';
import { Suggestions } from './suggestions.tsx';
import { MAX_CHARACTERS } from './text-edits.ts';
import threadStyles from './thread.module.css';
import { OthersReplying } from './others-replying.tsx';
import { contentOf, useSend } from './use-send.ts';
import { useTyping } from './use-typing.ts';
import { SendButtons, useWaysToSend } from './ways-to-send.tsx';

const Markdown = part(() => import('./markdown.tsx').then(({ Markdown }) => Markdown));
const SendLater = part(() => import('./scheduled-replies.tsx').then(({ SendLater }) => SendLater));
const Meanwhile = part(() => import('./meanwhile.tsx').then(({ Meanwhile }) => Meanwhile));

interface Props {
  ticket: TicketDetail;
  may: Permissions;
  presence: Pick<ReturnType<typeof usePresence>, 'others' | 'typing' | 'stopTyping'>;
  /** A message to quote; another object each time. */
  quote?: Quote | undefined;
  /** When the newest message was written, '' without one; undefined while they are read. */
  newestAt?: string | undefined;
}

/** The reply or internal note that is being written. In view all the time. */
export function Composer(props: Props) {
  const { ticket, may } = props;
  const t = useTranslations('ticket');
  if (may.isWorker || may.isParticipant) return <Writing {...props} />;
  return (
    <p className={styles['notice']}>
      {ticket.queue ? t('onlyTeam', { queue: ticket.queue.name }) : t('onlyAllQueues')}
    </p>
  );
}

function Writing({ ticket, may, presence, quote, newestAt }: Props) {
  const t = useTranslations('ticket');
  const helpId = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const sendButtons = useRef<HTMLSpanElement>(null);
  const kept = useDraft(may.me, ticket.id);
  const { draft, change } = kept;
  const isNote = draft.isPrivate && may.isWorker;
  const { label, help } = useLabels(ticket, may, isNote);
  const [isPreview, togglePreview] = useIsPreview();
  const [isChoosingTime, setChoosingTime] = useState(false);
  // Not attached yet: they are when the message is sent.
  const uploads = useUploads(
    `/desk/tickets/${encodeURIComponent(ticket.id)}/files`,
    draft.files,
    (changeFiles) => change((now) => ({ ...now, files: changeFiles(now.files) })),
  );
  const sending = useSend({
    ticket,
    may,
    kept,
    isNote,
    isUploading: uploads.isBusy,
    newestAt,
    field,
    stopTyping: presence.stopTyping,
  });
  const { send, pressSend, failure, forgetFailure, overtaken } = sending;
  const ways = useWaysToSend(sending, isNote, () => setChoosingTime(true));
  const sendLabel = isNote ? t('addNote') : t('send');

  const write = (isPrivate: boolean) => {
    if (may.isWorker && draft.isPrivate !== isPrivate) change((now) => ({ ...now, isPrivate }));
    field.current?.focus();
  };
  const onType = (text: string, mentioned: Mentioned) => {
    change((now) => ({ ...now, text, mentioned }));
    forgetFailure();
    presence.typing();
    if (!isNote && may.isWorker && may.me) void claim(ticket.id, may.me);
  };
  const typing = useTyping({ field, draft, ticket, may, onType });
  useQuote(quote, { write, putNaming: typing.putNaming });
  useWritingCommands({ may, ways, sendLabel, write, pressSend });

  return (
    <div
      className={styles['composer']}
      data-kind={isNote ? 'note' : 'reply'}
      data-dropping={uploads.isDropping ? '' : undefined}
      {...uploads.target}
    >
      <OthersReplying ticket={ticket} others={presence.others} me={may.me} />
      {isChoosingTime && (
        <Late>
          <SendLater
            trigger={sendButtons}
            onChoose={(sendAt) => {
              setChoosingTime(false);
              send({ sendAt });
            }}
            onClose={() => setChoosingTime(false)}
          />
        </Late>
      )}
      {overtaken && (
        <Late>
          <Meanwhile replies={overtaken.replies} onSend={overtaken.sendAnyway} onKeep={overtaken.keep} />
        </Late>
      )}
      <div className={styles['box']}>
        <div className={styles['kinds']}>
          {may.isWorker && <KindChoice isNote={isNote} onChoose={write} />}
          <span className={styles['help']} id={helpId}>
            {help}
          </span>
        </div>
        <Field
          ref={field}
          label={label}
          helpId={helpId}
          text={draft.text}
          isNote={isNote}
          typing={typing}
          onSend={pressSend}
          onSendAndClose={may.isWorker ? () => send('Closed') : pressSend}
        />
        {isPreview && <Preview {...contentOf(draft)} />}
        <div className={styles['files']}>
          <UploadList uploads={uploads} />
        </div>
        {failure && (
          <p role="alert" className={styles['failure']}>
            {t('notSent', { message: failure })}
          </p>
        )}
        <div className={styles['bar']}>
          <ComposerTools
            field={field}
            uploads={uploads}
            isTeam={may.isWorker}
            isPreview={isPreview}
            onOffer={typing.offer}
            onPreview={togglePreview}
          />
          <SendButtons
            ref={sendButtons}
            label={sendLabel}
            ways={may.isWorker ? ways : []}
            isDisabled={uploads.isBusy}
            onSend={() => send()}
          />
        </div>
      </div>
    </div>
  );
}

/** Puts a message that is to be quoted into the field. */
function useQuote(
  quote: Quote | undefined,
  {
    write,
    putNaming,
  }: { write: (isPrivate: boolean) => void; putNaming: ReturnType<typeof useTyping>['putNaming'] },
): void {
  const put = useEffectEvent(({ content, isPrivate }: Quote) => {
    // An internal note must not reach the requester by being quoted.
    if (isPrivate) write(true);
    const { text, mentioned } = fromContent(content);
    putNaming(mentioned, ({ value, selectionEnd }) => quoted(value, selectionEnd, text));
  });
  useEffect(() => {
    if (quote) put(quote);
  }, [quote]);
}

/** What the composer does by keys, also while something else has the focus. */
function useWritingCommands({
  may,
  ways,
  sendLabel,
  write,
  pressSend,
}: {
  may: Permissions;
  ways: ReturnType<typeof useWaysToSend>;
  sendLabel: string;
  write: (isPrivate: boolean) => void;
  pressSend: () => void;
}): void {
  const t = useTranslations('ticket');
  const group = t('group');
  useCommands([
    { id: 'reply', group, label: t('reply'), keys: 'r', run: () => write(false) },
    ...(may.isWorker
      ? [
          { id: 'note', group, label: t('internalNote'), keys: 'n', run: () => write(true) },
          ...ways.map((way) => ({ ...way, id: `send-${way.id}`, group })),
        ]
      : []),
    { id: 'send', group, label: sendLabel, keys: 'Mod+Enter', run: pressSend },
  ]);
}

/** The field, with what fits to what is being typed: Ctrl+Enter sends, Escape leaves it. */
function Field({
  ref,
  label,
  helpId,
  text,
  isNote,
  typing: { suggestions, onChange, onSelect, onBlur },
  onSend,
  onSendAndClose,
}: {
  ref: RefObject<HTMLTextAreaElement | null>;
  label: string;
  helpId: string;
  text: string;
  isNote: boolean;
  typing: ReturnType<typeof useTyping>;
  onSend: () => void;
  onSendAndClose: () => void;
}) {
  const t = useTranslations('ticket');
  const id = useId();
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (suggestions.onKey(event.key)) {
      event.preventDefault();
      return;
    }
    if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') {
      event.preventDefault();
      if (event.shiftKey) onSendAndClose();
      else onSend();
    }
    formatByKey(event);
    if (event.key === 'Escape') {
      event.stopPropagation();
      focusHeading();
    }
  };
  return (
    <>
      <TextArea
        ref={ref}
        className={styles['field'] ?? ''}
        aria-label={label}
        dir="auto"
        aria-describedby={helpId}
        aria-autocomplete="list"
        {...(suggestions.items.length > 0 && {
          'aria-controls': `${id}-list`,
          'aria-activedescendant': `${id}-${suggestions.active}`,
        })}
        placeholder={isNote ? t('notePlaceholder') : t('replyPlaceholder')}
        rows={2}
        maxLength={MAX_CHARACTERS.message}
        value={text}
        onChange={onChange}
        onSelect={onSelect}
        onBlur={onBlur}
        onKeyDown={onKeyDown}
      />
      <Suggestions id={id} suggestions={suggestions} />
    </>
  );
}

/** The name of the field, and who will read what is written in it. */
function useLabels(
  ticket: TicketDetail,
  { isWorker }: Permissions,
  isNote: boolean,
): { label: string; help: string } {
  const t = useTranslations('ticket');
  const requester = usePerson(ticket.requesterId);
  const channel = useAudienceChannel(ticket);
  if (isNote) return { label: t('internalNote'), help: t('noteHelp') };
  if (!isWorker) return { label: t('reply'), help: channel?.text ?? t('replyHelp.own') };
  const name = requester ? nameOf(requester) : t('requester').toLocaleLowerCase();
  return { label: t('replyTo', { name }), help: channel?.text ?? t(`replyHelp.${audienceOf(ticket).of}`) };
}

/** The arrow keys that choose a reply, and those that choose an internal note, in the order of the two. */
const CHOSEN_BY: Record<string, boolean> = {
  ArrowLeft: false,
  ArrowUp: false,
  ArrowRight: true,
  ArrowDown: true,
};

/** The choice between a reply and an internal note. */
function KindChoice({ isNote, onChoose }: { isNote: boolean; onChoose: (isNote: boolean) => void }) {
  const t = useTranslations('ticket');
  return (
    <div
      role="radiogroup"
      aria-label={t('replyKind')}
      className={styles['tabs']}
      onKeyDown={(event) => {
        const chosen = CHOSEN_BY[event.key];
        if (chosen === undefined) return;
        event.preventDefault();
        onChoose(chosen);
      }}
    >
      {[false, true].map((isPrivate) => (
        // Plain buttons: React Aria's group of them weighs 4 KB, for which the first page of a ticket has no room.
        <button
          key={String(isPrivate)}
          type="button"
          role="radio"
          aria-checked={isNote === isPrivate}
          title={isPrivate ? `${t('internalNote')} (N)` : `${t('reply')} (R)`}
          onClick={() => onChoose(isPrivate)}
        >
          {isPrivate && <Lock size={12} aria-hidden />}
          {isPrivate ? t('internalNote') : t('reply')}
        </button>
      ))}
    </div>
  );
}

const PREVIEW = 'desk preview';

/** The preview of a message and its switch, which is stored in this browser. */
function useIsPreview(): [boolean, () => void] {
  const [isPreview, setPreview] = useState(() => localStorage.getItem(PREVIEW) === 'on');
  const toggle = () => {
    localStorage.setItem(PREVIEW, isPreview ? 'off' : 'on');
    setPreview(!isPreview);
  };
  return [isPreview, toggle];
}

/** The message as it will look, once something is typed. */
function Preview({ typed, content }: { typed: string; content: string }) {
  const t = useTranslations('ticket');
  if (typed === '') return null;
  return (
    <div className={styles['preview']} role="region" aria-label={t('preview')}>
      <Suspense fallback={<div className={threadStyles['text']}>{content}</div>}>
        <Markdown text={content} className={threadStyles['text']} />
      </Suspense>
    </div>
  );
}
