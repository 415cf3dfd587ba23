import {
  Bold,
  ChevronDown,
  Code,
  Eye,
  Italic,
  Link as LinkSign,
  List as ListSign,
  Lock,
  MessageSquareText,
  AtSign,
  Smile,
} from 'lucide-react';
import { Suspense, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { trimmed } from '../../../contract/blank.ts';
import { Refusal, unreached } from '../api/call.ts';
import { nameOf, usePerson } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import type { Message, Status, TicketDetail } from '../api/types.ts';
import { PickFiles, UploadList } from '../files/upload-list.tsx';
import { useUploads } from '../files/uploads.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { useCommands } from '../kit/commands.ts';
import { Late } from '../kit/late.tsx';
import { Menu } from '../kit/menu.tsx';
import { part } from '../kit/part.ts';
import { showToast } from '../kit/toast.tsx';
import { nextTicket } from '../list/next-ticket.ts';
import { useChange } from './change.ts';
import { claim } from './claim.ts';
import styles from './composer.module.css';
import { useDraft } from './drafts.ts';
import { attempt } from './links.ts';
import type { Permissions } from './may.ts';
import { fromContent, toContent } from './mentions.ts';
import type { usePresence } from './presence.ts';
import { type Quote, quoted } from './quote.ts';
import { lastUndoable, type Scheduled, UNDO_SECONDS, useIsDelayed } from './scheduled.ts';
import type { Outcome } from './send.ts';
import { Suggestions, useSuggestions } from './suggestions.tsx';
import {
  applyEdit,
  asCode,
  asLink,
  asList,
  type Edit,
  MOST_CHARACTERS,
  tokenAt,
  wrapped,
} from './text-edits.ts';
import threadStyles from './thread.module.css';
import { Together } from './together.tsx';

const Markdown = part(() => import('./markdown.tsx').then(({ Markdown }) => Markdown));
const SendLater = part(() => import('./scheduled-replies.tsx').then(({ SendLater }) => SendLater));
const Meanwhile = part(() => import('./meanwhile.tsx').then(({ Meanwhile }) => Meanwhile));

/** What sends is loaded once somebody types (main.tsx), or here. */
async function loadSend() {
  try {
    const { sendMessage, sendNow, undoReply } = await import('./send.ts');
    return { sendMessage, sendNow, undoReply };
  } catch {
    throw unreached();
  }
}

const PREVIEW = 'desk preview';

/** How a message is sent: with a status of this group, before the next ticket, or later. */
type After = 'Closed' | 'Waiting' | 'Next' | { sendAt: Date };

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
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  /** The names that an edit inserts, which its own input event does not know yet. */
  const mentions = useRef<Record<string, string>>(undefined);
  const { draft, change, hide, drop } = useDraft(may.me, ticket.id);
  const me = usePerson(may.me);
  const requester = usePerson(ticket.requesterId);
  const statuses = useChoices('listStatuses');
  const changeTicket = useChange(ticket);
  const [failure, setFailure] = useState<string>();
  const [overtaken, setOvertaken] = useState<{ replies: readonly Message[]; after: After | undefined }>();
  const [isChoosingTime, setChoosingTime] = useState(false);
  const sendButtons = useRef<HTMLSpanElement>(null);
  const isDelayed = useIsDelayed();
  /** The reply that is being scheduled, and whether it is to be sent at once. */
  const underWay = useRef<{ isHurried: boolean }>(undefined);
  const begunAtRef = useBegunAt(draft.text, newestAt);
  const [isPreview, setPreview] = useState(() => localStorage.getItem(PREVIEW) === 'on');
  const [caret, setCaret] = useState<number>();
  /** Where the button has put a colon: all emoji are offered there. */
  const [colonAt, setColonAt] = useState<number>();
  // Not attached yet: they are when the message is sent.
  const uploads = useUploads(
    `/desk/tickets/${encodeURIComponent(ticket.id)}/files`,
    draft.files,
    (changeFiles) => change((now) => ({ ...now, files: changeFiles(now.files) })),
  );
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => void (isShown.current = false);
  }, []);
  // One goes on writing where the question was asked.
  useEffect(() => (overtaken ? () => field.current?.focus() : undefined), [overtaken]);
  const isNote = draft.isPrivate && may.isWorker;
  const typed = trimmed(toContent(draft.text, draft.mentioned));
  // Every message has a text: files without one are named.
  const content = typed || draft.files.map(({ name }) => name).join(', ');
  const inChannel = ticket.chatThreads.some(
    ({ type, channelId }) => type !== 'TRIAGE' && !channelId.startsWith('D'),
  );
  const inChat = ticket.chatThreads.some(({ type }) => type !== 'TRIAGE');
  const labelOf = (): string => {
    if (isNote) return t('internalNote');
    if (!may.isWorker) return t('reply');
    return t('replyTo', { name: requester ? nameOf(requester) : t('requester').toLocaleLowerCase() });
  };
  const helpOf = (): string => {
    if (isNote) return t('noteHelp');
    if (!may.isWorker) return inChannel && !ticket.private ? t('replyHelpChat') : t('replyHelpOwn');
    if (ticket.private) return t('replyHelpPrivate');
    return inChat ? t('replyHelpChat') : t('replyHelp');
  };
  const format = useFormatter();
  const timeOf = (at: Date) => format.dateTime(at, { dateStyle: 'medium', timeStyle: 'short' });
  const label = labelOf();
  const help = helpOf();

  const write = (isPrivate: boolean) => {
    if (may.isWorker && draft.isPrivate !== isPrivate) change((now) => ({ ...now, isPrivate }));
    field.current?.focus();
  };
  const type = (text: string, mentioned = draft.mentioned) => {
    change((now) => ({ ...now, text, mentioned }));
    setFailure(undefined);
    presence.typing();
    if (!isNote && may.isWorker && may.me) void claim(ticket.id, may.me);
  };
  const edit = (make: (value: string, from: number, to: number) => Edit) => {
    const area = field.current;
    if (area) applyEdit(area, make(area.value, area.selectionStart, area.selectionEnd));
  };
  const insert = (text: string) =>
    edit((_value, from, to) => ({
      from,
      to,
      text,
      selectFrom: from + text.length,
      selectTo: from + text.length,
    }));
  const putQuote = useEffectEvent(({ content: text, isPrivate }: Quote) => {
    const area = field.current;
    if (!area) return;
    // An internal note must not reach the requester by being quoted.
    if (isPrivate) write(true);
    const { text: shown, mentioned } = fromContent(text);
    mentions.current = { ...draft.mentioned, ...mentioned };
    applyEdit(area, quoted(area.value, area.selectionEnd, shown));
    mentions.current = undefined;
  });
  useEffect(() => {
    if (quote) putQuote(quote);
  }, [quote]);
  const statusOf = (group: 'Closed' | 'Waiting'): Status | undefined => {
    const all = statuses.toSorted((one, other) => one.order - other.order);
    const of = (name: string) => all.find(({ statusGroup }) => statusGroup.label === name);
    return group === 'Closed' ? (of('Closed') ?? of('Done')) : of('Waiting');
  };

  /** @param isAsked whether the person was asked, and sends it over what others replied meanwhile. */
  async function send(after?: After, isAsked = false): Promise<void> {
    if (uploads.isBusy) return;
    if (!content) {
      field.current?.focus();
      return;
    }
    const sent = { ...draft };
    const since = begunAtRef.current;
    const openNext = after === 'Next' ? nextTicket() : undefined;
    const status = after === 'Closed' || after === 'Waiting' ? statusOf(after) : undefined;
    const newStatus = status?.id === ticket.statusId ? undefined : status;
    const sendAt = typeof after === 'object' ? after.sendAt : undefined;
    setFailure(undefined);
    hide(isNote);
    presence.stopTyping();
    const own = { isHurried: false };
    underWay.current = own;
    /** Takes back what the field lost; what was typed meanwhile stays below it. */
    const restore = () =>
      change((now) => ({
        ...sent,
        text: now.text ? `${sent.text}\n\n${now.text}` : sent.text,
        mentioned: { ...sent.mentioned, ...now.mentioned },
        files: [...sent.files, ...now.files],
      }));
    let outcome: Outcome;
    try {
      const message = {
        content,
        isPrivate: isNote,
        files: sent.files,
        since: may.isWorker && !isNote && !isAsked ? since : undefined,
        later:
          isDelayed && !isNote
            ? {
                sendAt,
                statusId: newStatus?.id,
                shown: import('./scheduled-replies.tsx').catch(() => undefined),
              }
            : undefined,
      };
      outcome = await (await loadSend()).sendMessage(ticket, message, me);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (isShown.current) {
        restore();
        begunAtRef.current = since;
        setFailure(error.message);
      } else
        showToast({ kind: 'error', text: t('notSentKept', { code: ticket.code, message: error.message }) });
      return;
    } finally {
      if (underWay.current === own) underWay.current = undefined;
    }
    if (outcome.kind === 'overtaken') {
      if (isShown.current) {
        restore();
        begunAtRef.current = outcome.replies[0]?.createdAt;
        setOvertaken({ replies: outcome.replies, after });
      } else
        showToast({
          kind: 'error',
          text: t('notSentKept', { code: ticket.code, message: t('repliedMeanwhile') }),
        });
      return;
    }
    drop(typed);
    if (after === 'Next' && isShown.current) {
      if (openNext) openNext();
      else showToast({ kind: 'done', text: t('lastOfList') });
    }
    if (outcome.kind === 'scheduled') {
      const { reply } = outcome;
      if (own.isHurried) sendNow(reply);
      else
        showToast({
          kind: 'done',
          text: sendAt
            ? t('scheduledFor', { time: timeOf(sendAt) })
            : t('sendingSoon', { count: UNDO_SECONDS }),
          undo: async () => (await loadSend()).undoReply(reply, t('alreadySent')),
        });
    } else if (newStatus)
      void changeTicket(
        { statusId: newStatus.id },
        { said: t('said.status', { value: newStatus.label }), shown: { status: newStatus } },
      );
  }

  const sendNow = (reply: Scheduled) => void attempt(async () => (await loadSend()).sendNow(reply));
  /** By keys: pressed once more, what could still be undone is sent at once. */
  const pressSend = () => {
    const last = content || isNote ? undefined : lastUndoable(ticket.id, may.me);
    if (content || isNote) void send();
    else if (underWay.current) underWay.current.isHurried = true;
    else if (last) sendNow(last);
    else field.current?.focus();
  };

  const token = caret === undefined ? undefined : tokenAt(draft.text, caret, colonAt);
  const suggestions = useSuggestions(token, {
    ticket,
    me,
    requester,
    isTeam: may.isWorker,
    onPick: (text, mentioned) => {
      const area = field.current;
      if (!area || !token) return;
      mentions.current = { ...draft.mentioned, ...(mentioned && { [mentioned.name]: mentioned.id }) };
      applyEdit(area, {
        from: token.from,
        to: token.to,
        text,
        selectFrom: token.from + text.length,
        selectTo: token.from + text.length,
      });
      mentions.current = undefined;
    },
  });
  const follow = () => {
    const area = field.current;
    setCaret(area && area.selectionStart === area.selectionEnd ? area.selectionStart : undefined);
  };

  const group = t('group');
  useCommands([
    { id: 'reply', group, label: t('reply'), keys: 'r', run: () => write(false) },
    ...(may.isWorker
      ? [
          { id: 'note', group, label: t('internalNote'), keys: 'n', run: () => write(true) },
          {
            id: 'send-close',
            group,
            label: isNote ? t('noteAndClose') : t('sendAndClose'),
            keys: 'Mod+Shift+Enter',
            run: () => void send('Closed'),
          },
          {
            id: 'send-wait',
            group,
            label: isNote ? t('noteAndWait') : t('sendAndWait'),
            run: () => void send('Waiting'),
          },
          {
            id: 'send-next',
            group,
            label: isNote ? t('noteAndNext') : t('sendAndNext'),
            run: () => void send('Next'),
          },
          ...(isDelayed && !isNote
            ? [{ id: 'send-later', group, label: t('sendLater'), run: () => setChoosingTime(true) }]
            : []),
        ]
      : []),
    {
      id: 'send',
      group,
      label: isNote ? t('addNote') : t('send'),
      keys: 'Mod+Enter',
      run: pressSend,
    },
  ]);

  return (
    <div
      className={styles['composer']}
      data-kind={isNote ? 'note' : 'reply'}
      data-dropping={uploads.isDropping ? '' : undefined}
      {...uploads.target}
    >
      <Together ticket={ticket} others={presence.others} me={may.me} />
      {isChoosingTime && (
        <Late>
          <SendLater
            trigger={sendButtons}
            onChoose={(sendAt) => {
              setChoosingTime(false);
              void send({ sendAt });
            }}
            onClose={() => setChoosingTime(false)}
          />
        </Late>
      )}
      {overtaken && (
        <Late>
          <Meanwhile
            replies={overtaken.replies}
            onSend={() => {
              setOvertaken(undefined);
              void send(overtaken.after, true);
            }}
            onKeep={() => setOvertaken(undefined)}
          />
        </Late>
      )}
      <div className={styles['box']}>
        <div className={styles['kinds']}>
          {may.isWorker && (
            <div role="radiogroup" aria-label={t('replyKind')} className={styles['tabs']}>
              {[false, true].map((isPrivate) => (
                <button
                  key={String(isPrivate)}
                  type="button"
                  role="radio"
                  aria-checked={isNote === isPrivate}
                  title={isPrivate ? `${t('internalNote')} (N)` : `${t('reply')} (R)`}
                  onClick={() => write(isPrivate)}
                >
                  {isPrivate && <Lock size={12} aria-hidden />}
                  {isPrivate ? t('internalNote') : t('reply')}
                </button>
              ))}
            </div>
          )}
          <span className={styles['help']} id={`${id}-help`}>
            {help}
          </span>
        </div>
        <textarea
          ref={field}
          className={styles['field']}
          aria-label={label}
          dir="auto"
          aria-describedby={`${id}-help`}
          aria-autocomplete="list"
          {...(suggestions.items.length > 0 && {
            'aria-controls': `${id}-list`,
            'aria-activedescendant': `${id}-${suggestions.active}`,
          })}
          placeholder={isNote ? t('notePlaceholder') : t('replyPlaceholder')}
          rows={2}
          maxLength={MOST_CHARACTERS.message}
          value={draft.text}
          onChange={({ target }) => {
            type(target.value, mentions.current);
            setCaret(target.selectionStart);
          }}
          onSelect={follow}
          onBlur={() => setCaret(undefined)}
          onKeyDown={(event) => {
            if (suggestions.onKey(event.key)) {
              event.preventDefault();
              return;
            }
            const isMod = event.ctrlKey || event.metaKey;
            if (isMod && event.key === 'Enter') {
              event.preventDefault();
              if (event.shiftKey && may.isWorker) void send('Closed');
              else pressSend();
            }
            if (isMod && (event.key === 'b' || event.key === 'i')) {
              event.preventDefault();
              const sign = event.key === 'b' ? '**' : '_';
              edit((value, from, to) => wrapped(value, from, to, sign));
            }
            if (event.key === 'Escape') {
              event.stopPropagation();
              event.currentTarget.blur();
            }
          }}
        />
        <Suggestions id={id} suggestions={suggestions} />
        {isPreview && typed !== '' && (
          <div className={styles['preview']} role="region" aria-label={t('preview')}>
            <Suspense fallback={<div className={threadStyles['text']}>{content}</div>}>
              <Markdown text={content} className={threadStyles['text']} />
            </Suspense>
          </div>
        )}
        <div className={styles['files']}>
          <UploadList uploads={uploads} />
        </div>
        {failure && (
          <p role="alert" className={styles['failure']}>
            {t('notSent', { message: failure })}
          </p>
        )}
        <div className={styles['bar']}>
          <div role="group" aria-label={t('toolbar')} className={styles['tools']}>
            <IconButton
              label={t('bold')}
              keys="Mod+b"
              onPress={() => edit((value, from, to) => wrapped(value, from, to, '**'))}
            >
              <Bold size={15} aria-hidden />
            </IconButton>
            <IconButton
              label={t('italic')}
              keys="Mod+i"
              onPress={() => edit((value, from, to) => wrapped(value, from, to, '_'))}
            >
              <Italic size={15} aria-hidden />
            </IconButton>
            <span className={styles['rare']}>
              <IconButton label={t('code')} onPress={() => edit(asCode)}>
                <Code size={15} aria-hidden />
              </IconButton>
            </span>
            <IconButton label={t('bulletList')} onPress={() => edit(asList)}>
              <ListSign size={15} aria-hidden />
            </IconButton>
            <IconButton
              label={t('link')}
              onPress={() => edit((value, from, to) => asLink(value, from, to, t('linkText')))}
            >
              <LinkSign size={15} aria-hidden />
            </IconButton>
            {may.isWorker && (
              <IconButton label={t('mention')} keys="@" onPress={() => insert(spaced(field.current, '@'))}>
                <AtSign size={15} aria-hidden />
              </IconButton>
            )}
            <IconButton
              label={t('emoji')}
              keys=":"
              onPress={() => {
                const sign = spaced(field.current, ':');
                setColonAt((field.current?.selectionStart ?? 0) + sign.length - 1);
                insert(sign);
              }}
            >
              <Smile size={15} aria-hidden />
            </IconButton>
            {may.isWorker && (
              <IconButton
                label={t('cannedReply')}
                keys="/"
                onPress={() => insert(spaced(field.current, '/'))}
              >
                <MessageSquareText size={15} aria-hidden />
              </IconButton>
            )}
            {!uploads.isAbsent && <PickFiles uploads={uploads} />}
            <span className={styles['rare']}>
              <IconButton
                label={t('preview')}
                aria-pressed={isPreview}
                onPress={() => {
                  localStorage.setItem(PREVIEW, isPreview ? 'off' : 'on');
                  setPreview(!isPreview);
                }}
              >
                <Eye size={15} aria-hidden />
              </IconButton>
            </span>
          </div>
          <span className={styles['send']} ref={sendButtons}>
            <Button kind="primary" onPress={() => void send()} isDisabled={uploads.isBusy}>
              {isNote ? t('addNote') : t('send')}
            </Button>
            {may.isWorker && (
              <Menu
                label={t('sendMenu')}
                entries={[
                  {
                    id: 'close',
                    label: isNote ? t('noteAndClose') : t('sendAndClose'),
                    keys: 'Mod+Shift+Enter',
                    onAction: () => void send('Closed'),
                  },
                  {
                    id: 'wait',
                    label: isNote ? t('noteAndWait') : t('sendAndWait'),
                    onAction: () => void send('Waiting'),
                  },
                  {
                    id: 'next',
                    label: isNote ? t('noteAndNext') : t('sendAndNext'),
                    onAction: () => void send('Next'),
                  },
                  ...(isDelayed && !isNote
                    ? [{ id: 'later', label: t('sendLater'), onAction: () => setChoosingTime(true) }]
                    : []),
                ]}
              >
                <IconButton label={t('sendMenu')} kind="primary">
                  <ChevronDown size={16} aria-hidden />
                </IconButton>
              </Menu>
            )}
          </span>
        </div>
      </div>
    </div>
  );
}

/** A sign that opens suggestions, after a space where one is needed. */
function spaced(area: HTMLTextAreaElement | null, sign: string): string {
  const before = area?.value.slice(0, area.selectionStart) ?? '';
  return before === '' || /\s$/.test(before) ? sign : ` ${sign}`;
}

/**
 * When the newest message was written that was there as the text was begun: one that comes later, its writer may not have
 * seen.
 */
function useBegunAt(text: string, newestAt: string | undefined) {
  const begunAtRef = useRef<string>(undefined);
  useEffect(() => {
    if (text === '' || begunAtRef.current === undefined) begunAtRef.current = newestAt;
  }, [text, newestAt]);
  return begunAtRef;
}
