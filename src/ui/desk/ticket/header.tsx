import { Link } from '@tanstack/react-router';
import { ArrowLeft, Ellipsis, GitMerge, PanelRight } from 'lucide-react';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { usePeople } from '../api/people.ts';
import { useTicket } from '../api/tickets.ts';
import type { TicketDetail } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Button, IconButton } from '../../kit/button.tsx';
import { Hint } from '../../kit/hint.tsx';
import { Late } from '../../kit/late.tsx';
import { Menu } from '../../kit/menu.tsx';
import { part } from '../../kit/part.ts';
import { useListAddress } from '../list/views.ts';
import { HeaderFacts } from './header-facts.tsx';
import type { Permissions } from './may.ts';
import type { Opening } from './opening.ts';
import type { Present } from './presence.ts';
import { entriesOf, type TicketAct, useActCommands, useTicketActs } from './ticket-acts.tsx';
import styles from './ticket.module.css';

const EditTitle = part(() => import('./edit-title.tsx').then(({ EditTitle }) => EditTitle));
const MergeDialog = part(() => import('./merge.tsx').then(({ MergeDialog }) => MergeDialog));
const LinkDialog = part(() => import('./merge.tsx').then(({ LinkDialog }) => LinkDialog));
const RunWorkflowDialog = part(() =>
  import('../workflows/run-workflow.tsx').then(({ RunWorkflowDialog }) => RunWorkflowDialog),
);

/** Reference, title and state of the ticket, and what can be done with it as a whole. */
export function Header({
  ticket,
  may,
  others,
  onOpen,
  onDetails,
}: {
  ticket: TicketDetail;
  may: Permissions;
  others: readonly Present[];
  onOpen: (which: Opening) => void;
  onDetails: () => void;
}) {
  const t = useTranslations('ticket');
  const list = useListAddress();
  const [isEdited, setEdited] = useState(false);
  const [dialog, setDialog] = useState<'merge' | 'link' | 'run'>();
  const acts = useTicketActs(ticket, may, {
    edit: () => setEdited(true),
    snooze: () => onOpen('snooze'),
    merge: () => setDialog('merge'),
    link: () => setDialog('link'),
    runWorkflow: () => setDialog('run'),
  });
  useActCommands(acts);
  const title = (
    <h1
      className={styles['title']}
      dir="auto"
      title={ticket.title ?? undefined}
      {...(may.isWorker && { onDoubleClick: () => setEdited(true) })}
    >
      {ticket.title || t('untitled')}
    </h1>
  );
  return (
    <header className={styles['header']}>
      <div className={styles['top']}>
        <Link {...list} className={styles['back']} aria-label={t('back')}>
          <ArrowLeft size={18} aria-hidden />
        </Link>
        <HeaderFacts ticket={ticket} canChange={may.isWorker} onOpen={onOpen} />
        <div className={styles['actions']}>
          <Others others={others} />
          <Acts acts={acts} />
          <IconButton label={t('toggleDetails')} keys="]" onPress={onDetails}>
            <PanelRight size={16} aria-hidden />
          </IconButton>
        </div>
      </div>
      {isEdited ? (
        <Late meanwhile={title}>
          <EditTitle ticket={ticket} onClose={() => setEdited(false)} />
        </Late>
      ) : (
        title
      )}
      <Merged ticket={ticket} />
      <Late>
        {dialog === 'merge' && <MergeDialog ticket={ticket} onClose={() => setDialog(undefined)} />}
        {dialog === 'link' && <LinkDialog ticket={ticket} onClose={() => setDialog(undefined)} />}
        {dialog === 'run' && <RunWorkflowDialog ticket={ticket} onClose={() => setDialog(undefined)} />}
      </Late>
    </header>
  );
}

/** The menu of what can be done, and beside it, where there is room, what is done most often. */
function Acts({ acts }: { acts: readonly TicketAct[] }) {
  const t = useTranslations('ticket');
  const take = acts.find(({ id }) => id === 'take');
  return (
    <>
      {take && (
        <span className={styles['wide']}>
          <Hint text={take.label} keys="i">
            <Button size="small" onPress={take.run}>
              {take.label}
            </Button>
          </Hint>
        </span>
      )}
      {acts
        .filter(({ id }) => id === 'snooze' || id === 'merge')
        .map(({ id, label, keys = '', Sign, run }) => (
          <span key={id} className={styles['wide']}>
            <IconButton label={label} keys={keys} onPress={run}>
              <Sign size={16} aria-hidden />
            </IconButton>
          </span>
        ))}
      <Menu label={t('moreActions')} entries={entriesOf(acts)}>
        <IconButton label={t('moreActions')}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      </Menu>
    </>
  );
}

/** The avatars of those who look at the ticket. */
function Others({ others }: { others: readonly Present[] }) {
  const t = useTranslations('ticket');
  const format = useFormatter();
  const people = usePeople(others.map(({ userId }) => userId));
  if (others.length === 0) return null;
  const names = format.list(others.map(({ name }) => name));
  const text = t('looking', { names, count: others.length });
  return (
    <span className={styles['others']} role="img" aria-label={text} title={text}>
      {others.slice(0, 4).map(({ userId, name }) => (
        <Avatar key={userId} person={people.get(userId) ?? { id: userId, firstName: name, lastName: null }} />
      ))}
    </span>
  );
}

/** Where a merged ticket's messages go. */
function Merged({ ticket }: { ticket: TicketDetail }) {
  const id = (ticket as { mergedIntoId?: string | null }).mergedIntoId;
  return id ? <MergedInto id={id} /> : null;
}

function MergedInto({ id }: { id: string }) {
  const t = useTranslations('ticket');
  const { data } = useTicket(id);
  return (
    <p className={styles['notice']} role="note">
      <GitMerge size={14} aria-hidden />
      <Link to="/tickets/$code" params={{ code: data?.code ?? id }} search={true as never}>
        {t('mergedInto', { code: data?.code ?? '…' })}
      </Link>
    </p>
  );
}
