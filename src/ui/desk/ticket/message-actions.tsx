import { Link2, Pencil, Quote as QuoteSign, Smile, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { call } from '../api/call.ts';
import { queryClient } from '../api/query.ts';
import { useRole } from '../api/session.ts';
import { messagesQuery, ticketsChanged } from '../api/tickets.ts';
import type { Message, TicketDetail } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Choices } from '../../kit/choices.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Entries } from '../../kit/entries.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { Panel } from '../../kit/panel.tsx';
import { showToast } from '../../kit/toast.tsx';
import type { MenuEntry } from '../../kit/types.ts';
import { actions } from '../messages/actions.ts';
import { EditText } from './edit-text.tsx';
import { EMOJI } from './emoji.ts';
import { toastRefusal } from '../kit/toast-refusal.ts';
import type { Permissions } from './may.ts';
import type { Quote } from './quote.ts';

const TEXTS = { actions };

interface Props {
  ticket: TicketDetail;
  may: Permissions;
  message: Message;
  /** The button that opened it. */
  trigger: HTMLButtonElement;
  onEdit: () => void;
  onQuote: (quote: Quote) => void;
  onClose: () => void;
}

/** The menu of a message, with the dialogs of its entries. */
export const MessageActions = withTexts(TEXTS, Steps);

type Step = 'menu' | 'react' | 'delete';

function Steps(props: Props) {
  const { ticket, message, trigger, onClose } = props;
  const t = useTranslations('actions');
  const step = useRef<Step>('menu');
  const [shown, setShown] = useState<Step>('menu');
  const entries = useEntries(props, (next) => {
    step.current = next;
    setShown(next);
  });
  const button = useRef(trigger);
  // The menu closes as one of its entries opens the next step.
  const close = (of: Step) => {
    if (step.current === of) onClose();
  };
  if (shown === 'menu')
    return <Entries label={t('label')} entries={entries} trigger={button} onClose={() => close('menu')} />;
  if (shown === 'react')
    return (
      <Panel label={t('reaction')} trigger={button} placement="bottom end" onClose={() => close('react')}>
        <PickReaction {...props} close={() => close('react')} />
      </Panel>
    );
  return <Delete ticket={ticket} message={message} me={props.may.me} onClose={() => close('delete')} />;
}

/** A message that a person wrote in Slack: only they can change it there. */
const isOfSlack = ({ source, chatChannelId, authorId }: Message): boolean =>
  source === 'CHAT' && chatChannelId !== null && authorId !== null;

/** The rules are the service's (docs/desk.md): what it would refuse is not offered. */
function useEntries({ ticket, may, message, onEdit, onQuote }: Props, go: (step: Step) => void): MenuEntry[] {
  const t = useTranslations('actions');
  const isAdmin = useRole() === 'admin';
  const isOwn = message.authorId !== null && message.authorId === may.me;
  const mayChange = may.isWorker && (isOwn || isAdmin);
  const mayWrite = may.isWorker || may.isParticipant;
  const copy = () =>
    void navigator.clipboard
      .writeText(new URL(`/tickets/${ticket.code}#${message.id}`, location.href).href)
      .then(() => showToast({ kind: 'done', text: t('linkCopied') }));
  const quote = () => onQuote({ content: message.content, isPrivate: message.private });
  const edit: MenuEntry = isOfSlack(message)
    ? { id: 'edit', label: t('editInSlack'), whyNot: t('writtenInSlack') }
    : { id: 'edit', label: t('edit'), onAction: onEdit };
  return [
    ...(may.isWorker && may.me
      ? [
          {
            id: 'react',
            label: t('react'),
            sign: <Smile size={14} aria-hidden />,
            onAction: () => go('react'),
          },
        ]
      : []),
    ...(mayWrite
      ? [{ id: 'quote', label: t('quote'), sign: <QuoteSign size={14} aria-hidden />, onAction: quote }]
      : []),
    { id: 'copy', label: t('copyLink'), sign: <Link2 size={14} aria-hidden />, onAction: copy },
    ...(mayChange
      ? [
          { ...edit, sign: <Pencil size={14} aria-hidden /> },
          {
            id: 'delete',
            label: t('delete'),
            sign: <Trash2 size={14} aria-hidden />,
            isDangerous: true,
            onAction: () => go('delete'),
          },
        ]
      : []),
  ];
}

type Messages = { items: Message[]; totalCount: number };

/** Shows a message as the service answered it. */
async function showAnswer(code: string, answer: Message): Promise<void> {
  const { queryKey } = messagesQuery(code);
  // A read that is under way may have begun before.
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData<Messages>(
    queryKey,
    (read) => read && { ...read, items: read.items.map((each) => (each.id === answer.id ? answer : each)) },
  );
  ticketsChanged([answer.ticketId]);
}

interface Reaction {
  emoji: string;
  authorId: string | null;
  sign?: string;
}

/** Adds a reaction of one's own, or takes it back. */
function PickReaction({ ticket, may, message, close }: Props & { close: () => void }) {
  const t = useTranslations('actions');
  const reactions: readonly Reaction[] = message.reactions;
  const own = reactions.filter(({ authorId }) => authorId !== null && authorId === may.me);
  const ownAs = (sign: string) => own.find((each) => each.sign === sign);
  const selected = EMOJI.filter(({ sign }) => ownAs(sign)).map(({ name }) => name);
  const react = (name: string | undefined) => {
    const chosen = EMOJI.find((each) => each.name === name);
    if (!chosen || !may.me) return;
    const former = ownAs(chosen.sign);
    const input = {
      params: { id: message.id },
      body: { emoji: former?.emoji ?? chosen.name, authorId: may.me },
    };
    void toastRefusal(async () => {
      const answer = former ? await call('removeReaction', input) : await call('addReaction', input);
      await showAnswer(ticket.code, answer);
    });
  };
  return (
    <Choices
      label={t('reaction')}
      options={EMOJI.map(({ name, sign }) => ({ id: name, text: `:${name}:`, sign }))}
      selected={selected}
      multiple
      onChange={(ids) => {
        // One that was chosen before is taken back.
        react(ids.find((id) => !selected.includes(id)) ?? selected.find((id) => !ids.includes(id)));
        close();
      }}
      close={close}
    />
  );
}

/** Asks before a message is deleted: nothing brings it back. */
function Delete({
  ticket,
  message,
  me,
  onClose,
}: {
  ticket: TicketDetail;
  message: Message;
  me: string | undefined;
  onClose: () => void;
}) {
  const t = useTranslations('actions');
  const common = useTranslations('common');
  const [isBusy, setBusy] = useState(false);
  const files = message.files?.length ?? 0;
  const remove = async () => {
    setBusy(true);
    await toastRefusal(async () => {
      await showAnswer(ticket.code, await call('deleteTicketMessage', { params: { id: message.id } }));
    });
    onClose();
  };
  return (
    <Dialog
      title={t('deleteTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{common('cancel')}</Button>
          <Button kind="danger" autoFocus isPending={isBusy} onPress={() => void remove()}>
            {t('deleteAction')}
          </Button>
        </>
      }
    >
      <p>
        {isOfSlack(message) ? t('deleteFromSlack') : t(message.private ? 'deleteNote' : 'deleteReply')}{' '}
        {files > 0 && t('deleteFiles', { count: files })} {message.authorId !== me && t('deleteOthers')}
      </p>
    </Dialog>
  );
}

/** The text of a message as a field in its own place. */
export const EditMessage = withTexts(TEXTS, Editing);

function Editing({
  code,
  message,
  onClose,
}: {
  /** The ticket's reference. */
  code: string;
  message: Message;
  onClose: () => void;
}) {
  const { id, content, html } = message;
  const save = async (changed: string) =>
    showAnswer(code, await call('updateTicketMessage', { params: { id }, body: { content: changed } }));
  return <EditText content={content} html={html} save={save} onClose={onClose} />;
}
