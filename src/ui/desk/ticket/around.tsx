import { Link } from '@tanstack/react-router';
import { ExternalLink, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button as Pressable } from 'react-aria-components/Button';
import { useTranslations } from 'use-intl';

import { Late } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { nameOf, usePeople, usePerson } from '../api/people.ts';
import { useChoices, useOperation } from '../api/query.ts';
import { prefetchTicket } from '../api/tickets.ts';
import type { TicketDetail } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { IconButton } from '../../kit/button.tsx';
import { StatusSign } from '../kit/signs.tsx';
import { Time } from '../kit/time.tsx';
import { toastRefusal } from '../kit/toast-refusal.ts';
import styles from './details.module.css';
import type { Permissions } from './may.ts';
import { Section } from './row.tsx';
import { WorkflowRuns } from './workflow-runs.tsx';

const LinkDialog = part(() => import('./merge.tsx').then(({ LinkDialog }) => LinkDialog));

const OTHERS = 5;
/** Hits read, and tickets shown. */
const LOOKED_AT = 10;
const SIMILAR = 3;

/** What stands around the ticket: its threads in chat, its workflows, other tickets, its requester. */
export function Around({ ticket, may }: { ticket: TicketDetail; may: Permissions }) {
  return (
    <>
      <Threads ticket={ticket} />
      <WorkflowRuns ticket={ticket} may={may} />
      <Requester ticket={ticket} />
      <Links ticket={ticket} may={may} />
      <Similar ticket={ticket} />
    </>
  );
}

function Threads({ ticket }: { ticket: TicketDetail }) {
  const t = useTranslations('ticket');
  const all: readonly { id: string; type: string | null; channelId: string; url?: string | null }[] =
    ticket.chatThreads;
  const threads = all.filter(({ url }) => url);
  // Sent with the page (src/desk/first-data.ts).
  const workspaces = useChoices('listWorkspaces', threads.length > 0);
  const channels = workspaces.flatMap(({ chatTriageChannels }) => chatTriageChannels);
  const nameOfThread = (type: string | null, id: string) => {
    const of = type === 'TRIAGE' ? 'TeamThread' : 'Thread';
    const channel = channels.find(({ channelId }) => channelId === id)?.channelName;
    return channel ? t(`in${of}`, { channel }) : t(`open${of}`);
  };
  if (threads.length === 0) return null;
  return (
    <Section title={t('chat')}>
      <ul className={styles['list']}>
        {threads.map(({ id, url, type, channelId }) => (
          <li key={id}>
            <a href={url ?? ''} target="_blank" rel="noopener noreferrer">
              {nameOfThread(type, channelId)}
              <ExternalLink size={12} aria-hidden />
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface Listed {
  id?: string;
  code: string;
  title: string | null;
  group: string | undefined;
  detail?: React.ReactNode;
}

/** Another ticket: its state, its reference and its title. */
function TicketLink({ code, title, group, detail }: Listed) {
  const t = useTranslations('ticket');
  return (
    <Link
      to="/tickets/$code"
      params={{ code }}
      search={true as never}
      className={styles['ticket']}
      onPointerEnter={() => prefetchTicket(code)}
    >
      <StatusSign group={group} size={13} />
      <span className={styles['of']}>
        <span className={styles['name']}>
          <span className={styles['dim']}>{code}</span> {title || t('untitled')}
        </span>
        {detail && <span className={styles['dim']}>{detail}</span>}
      </span>
    </Link>
  );
}

function Requester({ ticket }: { ticket: TicketDetail }) {
  const t = useTranslations('ticket');
  const id = ticket.requesterId;
  const person = usePerson(id);
  const { data } = useOperation(
    'listTickets',
    { query: { requesterId: id ?? '', sortBy: 'createdAt', sortDirection: 'desc', limit: OTHERS + 1 } },
    { enabled: id !== null },
  );
  if (!id) return null;
  const others = (data?.items ?? []).filter((each) => each.id !== ticket.id).slice(0, OTHERS);
  const count = Math.max(0, (data?.totalCount ?? 0) - 1);
  return (
    <Section title={t('requester')}>
      <div className={styles['person']}>
        <Avatar person={person} size={28} />
        <span>
          <strong>{nameOf(person)}</strong>
          {person?.email && <a href={`mailto:${person.email}`}>{person.email}</a>}
        </span>
      </div>
      {data && (
        <p>
          {count > 0 ? (
            <Link to="/views/$view" params={{ view: 'all' }} search={{ requesterId: id }}>
              {t('otherRequests', { count })}
            </Link>
          ) : (
            <span className={styles['dim']}>{t('otherRequests', { count })}</span>
          )}
        </p>
      )}
      {others.length > 0 && (
        <ul className={styles['list']} aria-label={t('otherRequestsList')}>
          {others.map(({ id: other, code, title, status, createdAt }) => (
            <li key={other}>
              <TicketLink
                code={code}
                title={title}
                group={status.statusGroup.label}
                detail={<Time at={createdAt} />}
              />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const isSolved = (group: string) => group === 'Done' || group === 'Closed';

/**
 * Similar tickets, solved ones first; merged ones were closed without being solved. Without a search by meaning there
 * is no such part.
 */
function Similar({ ticket }: { ticket: TicketDetail }) {
  const t = useTranslations('ticket');
  const query = (ticket.title ?? '').trim().slice(0, 500);
  const { data } = useOperation(
    'semanticSearch',
    { query: { query, excludeTicketId: ticket.id, limit: LOOKED_AT } },
    { enabled: query !== '' },
  );
  const found = data?.items ?? [];
  const best = found
    .filter(({ mergedIntoId }) => !mergedIntoId)
    .toSorted(
      (one, other) =>
        Number(isSolved(other.status.statusGroup.label)) - Number(isSolved(one.status.statusGroup.label)),
    )
    .slice(0, SIMILAR);
  const people = usePeople(best.flatMap(({ assigneeId }) => assigneeId ?? []));
  if (best.length === 0) return null;
  return (
    <Section title={t('similar')}>
      <ul className={styles['list']}>
        {best.map(({ id, code, title, status, assigneeId }) => {
          const group = status.statusGroup.label;
          const name = nameOf(people.get(assigneeId ?? ''));
          return (
            <li key={id}>
              <TicketLink
                code={code}
                title={title}
                group={group}
                detail={
                  assigneeId && (isSolved(group) ? t('solvedBy', { name }) : t('withAssignee', { name }))
                }
              />
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** Parent, children and linked tickets. */
function Links({ ticket, may }: { ticket: TicketDetail; may: Permissions }) {
  const t = useTranslations('ticket');
  const statuses = useChoices('listStatuses');
  const [isAdding, setAdding] = useState(false);
  const hasLinks = 'links' in ticket;
  const links = hasLinks ? ticket.links : [];
  const { parent, children } = ticket;
  const parentCode = parent?.queue ? `${parent.queue.prefix}-${parent.number}` : ticket.parentId;
  const groupOf = (statusId: string) => statuses.find(({ id }) => id === statusId)?.statusGroup.label;
  const remove = async (link: (typeof links)[number]) => {
    // Loaded when a link is removed: a ticket's page asks for as little as it can.
    const { removeLink } = await import('./links.ts');
    const said = {
      linked: t('said.linked', { code: link.ticket.code }),
      unlinked: t('said.unlinked', { code: link.ticket.code }),
    };
    await toastRefusal(() => removeLink(ticket, link, said));
  };
  if (!parentCode && children.length === 0 && links.length === 0 && !(hasLinks && may.isWorker)) return null;
  return (
    <Section title={t('links')}>
      <ul className={styles['list']}>
        {parentCode && (
          <li>
            <TicketLink code={parentCode} title={t('parent')} group={undefined} />
          </li>
        )}
        {children.map(({ id, title, number, statusId }) => (
          <li key={id}>
            <Link
              to="/tickets/$code"
              params={{ code: id }}
              search={true as never}
              className={styles['ticket']}
            >
              <StatusSign group={groupOf(statusId)} size={13} />
              <span className={styles['of']}>
                <span className={styles['name']}>
                  <span className={styles['dim']}>{`#${number}`}</span> {title || t('untitled')}
                </span>
                <span className={styles['dim']}>{t('child')}</span>
              </span>
            </Link>
          </li>
        ))}
        {links.map((link) => {
          const { id, kind, direction } = link;
          const { code, title, statusId } = link.ticket;
          const relation =
            kind === 'related' || direction === 'out'
              ? kind
              : kind === 'blocks'
                ? 'blocked-by'
                : 'duplicated-by';
          return (
            <li key={id} className={styles['link']}>
              <TicketLink
                code={code}
                title={title}
                group={groupOf(statusId)}
                detail={t(`relation.${relation}` as never)}
              />
              {may.isWorker && (
                <IconButton label={t('removeLink', { code })} onPress={() => void remove(link)}>
                  <X size={13} aria-hidden />
                </IconButton>
              )}
            </li>
          );
        })}
      </ul>
      {hasLinks && may.isWorker && (
        <Pressable className={styles['add'] ?? ''} onPress={() => setAdding(true)}>
          <Plus size={13} aria-hidden />
          {t('linkTicket')}
        </Pressable>
      )}
      <Late>{isAdding && <LinkDialog ticket={ticket} onClose={() => setAdding(false)} />}</Late>
    </Section>
  );
}
