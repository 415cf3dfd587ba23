import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { useTranslations } from 'use-intl';

import { shorten } from '../../../contract/cut.ts';
import { call } from '../api/call.ts';
import { nameOf, usePerson } from '../api/people.ts';
import { operationKey, queryClient, useOperation } from '../api/query.ts';
import { ticketsChanged, useMessages } from '../api/tickets.ts';
import type { Ticket, TicketDetail } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Labelled } from '../../kit/field.tsx';
import { Failure } from '../kit/failure.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { Picker } from '../../kit/picker.tsx';
import { StatusSign } from '../kit/signs.tsx';
import { Time } from '../kit/time.tsx';
import { showToast } from '../../kit/toast.tsx';
import { toastRefusal } from '../kit/toast-refusal.ts';
import { useSaved } from '../kit/use-saved.ts';
import { merging } from '../messages/dialogs.ts';
import styles from './details.module.css';
import { addLink } from './links.ts';

const KINDS = ['related', 'duplicate', 'blocks'] as const;
type Kind = (typeof KINDS)[number];

const TEXTS = { merging };

/** Finds another ticket by words or reference. */
function useFound(ticket: TicketDetail) {
  const [typed, setTyped] = useState('');
  const search = useDeferredValue(typed.trim());
  const { data, isPending, isPlaceholderData } = useOperation(
    'listTickets',
    {
      query: search
        ? { search, limit: 8 }
        : // Before anything is typed: what the same person asked.
          { ...(ticket.requesterId && { requesterId: ticket.requesterId }), limit: 8 },
    },
    { keep: true },
  );
  const items = (data?.items ?? []).filter(({ id }) => id !== ticket.id);
  return { items, isLoading: isPending || isPlaceholderData || search !== typed.trim(), setTyped };
}

function FindTicket({
  ticket,
  chosen,
  onChoose,
}: {
  ticket: TicketDetail;
  chosen: Ticket | undefined;
  onChoose: (other: Ticket | undefined) => void;
}) {
  const t = useTranslations('ticket');
  const own = useTranslations('merging');
  const { items, isLoading, setTyped } = useFound(ticket);
  return (
    <div className={styles['find']}>
      <Picker
        label={own('findHint')}
        options={items.map(({ id, code, title, status }) => ({
          id,
          text: title || t('untitled'),
          detail: code,
          sign: <StatusSign group={status.statusGroup.label} />,
        }))}
        selected={chosen ? [chosen.id] : []}
        onSearch={setTyped}
        isLoading={isLoading}
        onChange={([id]) => onChoose(items.find((each) => each.id === id))}
      />
    </div>
  );
}

/** Confirms the choice; has the focus once a ticket is chosen, so that Enter chooses and Enter again confirms. */
function Confirm({
  chosen,
  isPending,
  onConfirm,
  children,
}: {
  chosen: Ticket | undefined;
  isPending: boolean;
  onConfirm: (chosen: Ticket) => void;
  children: ReactNode;
}) {
  return (
    <Button
      // Another choice is another button, which takes the focus again.
      key={chosen?.id}
      kind="primary"
      autoFocus={chosen !== undefined}
      isDisabled={!chosen}
      isPending={isPending}
      onPress={() => chosen && onConfirm(chosen)}
    >
      {children}
    </Button>
  );
}

/** A short description of a ticket before an action on it. */
function Preview({ ticket }: { ticket: Ticket }) {
  const t = useTranslations('ticket');
  const own = useTranslations('merging');
  const requester = usePerson(ticket.requesterId);
  const { data } = useMessages(ticket.code);
  return (
    <div className={styles['preview']}>
      <p className={styles['name']}>
        <StatusSign group={ticket.status.statusGroup.label} /> <strong>{ticket.code}</strong>{' '}
        {ticket.title || t('untitled')}
      </p>
      <p className={styles['dim']}>
        {nameOf(requester)} · <Time at={ticket.createdAt} />
        {data && ` · ${own('messagesCount', { count: data.totalCount })}`}
      </p>
      {ticket.description && <p className={styles['begin']}>{shorten(ticket.description, 400)}</p>}
    </div>
  );
}

/** Merges a ticket into another one: find it, look at it, confirm. */
export const MergeDialog = withTexts(TEXTS, Merging);

function Merging({ ticket, onClose }: { ticket: TicketDetail; onClose: () => void }) {
  const t = useTranslations('ticket');
  const own = useTranslations('merging');
  const common = useTranslations('common');
  const navigate = useNavigate();
  const [into, setInto] = useState<Ticket>();
  const merging = useSaved();
  const isOver = ['Done', 'Closed'].includes(ticket.status.statusGroup.label);
  /** Reopening takes a merge back. */
  const undo = async (intoId: string) => {
    const { id, code, statusId } = ticket;
    await toastRefusal(async () => {
      await call('updateTicket', { params: { id }, body: { data: { statusId } } });
      showToast({ kind: 'done', text: own('mergeUndone', { code }) });
      void navigate({ to: '/tickets/$code', params: { code }, search: true } as never);
    });
    ticketsChanged([id, intoId]);
  };
  const merge = async ({ id: intoId }: Ticket) => {
    const record = await call('mergeTicket', { params: { id: ticket.id }, body: { intoId } });
    queryClient.setQueryData(operationKey('readTicket', { params: { id: record.code } }), record);
    ticketsChanged([ticket.id, record.id]);
    showToast({
      kind: 'done',
      text: own('merged', { from: ticket.code, to: record.code }),
      // One that was over before would have to be reopened, which is no undoing.
      ...(!isOver && { undo: () => undo(record.id) }),
    });
    onClose();
    void navigate({ to: '/tickets/$code', params: { code: record.code }, search: true } as never);
  };
  return (
    <Dialog
      title={own('mergeTicket', { code: ticket.code })}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{common('cancel')}</Button>
          <Confirm
            chosen={into}
            isPending={merging.isSaving}
            onConfirm={(chosen) => void merging.save(() => merge(chosen))}
          >
            {into ? own('mergeConfirm', { code: into.code }) : t('merge')}
          </Confirm>
        </>
      }
    >
      <p>
        {own('mergeHelp', { code: ticket.code })} {own('mergeFinal', { code: ticket.code })}
      </p>
      <FindTicket
        ticket={ticket}
        chosen={into}
        onChoose={(chosen) => {
          setInto(chosen);
          merging.reset();
        }}
      />
      {into && <Preview ticket={into} />}
      <Failure text={merging.error} />
    </Dialog>
  );
}

/** Links a ticket with another one. */
export const LinkDialog = withTexts(TEXTS, Linking);

function Linking({ ticket, onClose }: { ticket: TicketDetail; onClose: () => void }) {
  const t = useTranslations('ticket');
  const own = useTranslations('merging');
  const common = useTranslations('common');
  const [other, setOther] = useState<Ticket>();
  const [kind, setKind] = useState<Kind>('related');
  const linking = useSaved();
  const link = async (to: Ticket) => {
    const said = {
      linked: t('said.linked', { code: to.code }),
      unlinked: t('said.unlinked', { code: to.code }),
    };
    await addLink(ticket, { ticket: to, kind, direction: 'out' }, said);
    onClose();
  };
  return (
    <Dialog
      title={t('linkTicket')}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{common('cancel')}</Button>
          <Confirm
            chosen={other}
            isPending={linking.isSaving}
            onConfirm={(chosen) => void linking.save(() => link(chosen))}
          >
            {own('linkDone')}
          </Confirm>
        </>
      }
    >
      <Labelled label={own('linkKind')}>
        <Picker
          label={own('linkKind')}
          options={KINDS.map((id) => ({ id, text: t(`relation.${id}` as never) }))}
          selected={[kind]}
          onChange={([id]) => setKind(KINDS.find((each) => each === id) ?? 'related')}
        >
          <Button>{t(`relation.${kind}` as never)}</Button>
        </Picker>
      </Labelled>
      <FindTicket
        ticket={ticket}
        chosen={other}
        onChoose={(chosen) => {
          setOther(chosen);
          linking.reset();
        }}
      />
      {other && <Preview ticket={other} />}
      <Failure text={linking.error} />
    </Dialog>
  );
}
