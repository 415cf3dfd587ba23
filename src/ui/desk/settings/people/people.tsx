import { useNavigate } from '@tanstack/react-router';
import { ChevronDown, Plus } from 'lucide-react';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { SearchField } from 'react-aria-components/SearchField';
import { useFormatter, useTranslations } from 'use-intl';

import { call, Refusal } from '../../api/call.ts';
import { nameOf } from '../../api/people.ts';
import { useChoices } from '../../api/query.ts';
import type { Person } from '../../api/types.ts';
import { Avatar } from '../../kit/avatar.tsx';
import { Away } from '../../kit/away.tsx';
import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { Picker } from '../../../kit/picker.tsx';
import { NewDialog, Page } from '../parts/page.tsx';
import { Badge, Records } from '../parts/records.tsx';
import { ifAble, refresh, useLacks } from '../parts/write.ts';
import type { SectionProps } from '../section.ts';
import styles from './people.module.css';
import { PersonPage } from './person.tsx';
import { accountName, findByEmail, hasAccess, isUnlinked, usePeopleList } from './records.ts';

/** The service lacks these filters: the page applies them to the people it has read. */
const KINDS = {
  all: () => true,
  unlinked: isUnlinked,
  several: ({ chatUsers }: Person) => chatUsers.length > 1,
  admins: ({ role }: Person) => role === 'admin',
  agents: ({ role }: Person) => role === 'agent',
  deactivated: ({ deactivatedAt }: Person) => Boolean(deactivatedAt),
  guests: ({ isGuestCreated }: Person) => isGuestCreated,
  programs: ({ isBot }: Person) => isBot,
};
type Kind = keyof typeof KINDS;
const ALL = Object.keys(KINDS) as Kind[];

/** The search to restore when the user returns from a person's page. */
const kept: { search: string; kind: Kind } = { search: '', kind: 'all' };

export function PeopleSettings({ item }: SectionProps) {
  return item ? <PersonPage key={item} id={item} /> : <PeopleList />;
}

function PeopleList() {
  const t = useTranslations('access.people');
  const common = useTranslations('common');
  const sections = useTranslations('settings.sections');
  const format = useFormatter();
  const queues = useChoices('listQueues');
  const [shown, setShown] = useState(kept);
  const [isNew, setNew] = useState(false);
  const lacksCreate = useLacks('createUser');
  const show = (part: Partial<typeof kept>) => setShown({ ...Object.assign(kept, part) });
  const { read, more, items, total } = usePeopleList(useDeferredValue(shown.search));
  const rows = items.filter(KINDS[shown.kind]);
  const unlinked = items.filter(isUnlinked).length;
  return (
    <Page
      title={sections('people')}
      intro={t('intro')}
      size="wide"
      action={
        !lacksCreate && (
          <Button kind="primary" onPress={() => setNew(true)}>
            <Plus size={14} aria-hidden /> {t('add')}
          </Button>
        )
      }
    >
      {unlinked > 0 && shown.kind !== 'unlinked' && (
        <p className={styles['notice']}>
          {t('unlinked', { count: unlinked })}{' '}
          <Button size="small" onPress={() => show({ kind: 'unlinked' })}>
            {t('showThem')}
          </Button>
        </p>
      )}
      <div className={styles['filters']} role="search" aria-label={t('filters')}>
        <SearchField
          aria-label={t('search')}
          value={shown.search}
          onChange={(search) => show({ search })}
          className={styles['search'] ?? ''}
        >
          <Input placeholder={t('searchHint')} />
        </SearchField>
        <Picker
          label={t('who')}
          options={ALL.map((id) => ({ id, text: t(`kinds.${id}`) }))}
          selected={[shown.kind]}
          onChange={([kind]) => show({ kind: ALL.find((id) => id === kind) ?? 'all' })}
        >
          <Button aria-label={`${t('who')}: ${t(`kinds.${shown.kind}`)}`}>
            {t(`kinds.${shown.kind}`)} <ChevronDown size={14} aria-hidden />
          </Button>
        </Picker>
        <span className={styles['muted']} role="status">
          {read.data &&
            t('shown', { shown: rows.length, read: items.length, total, isAll: String(!more.isThere) })}
        </span>
      </div>
      <Records
        label={sections('people')}
        read={read}
        rows={rows}
        section="people"
        empty={{ title: t('empty'), more: t('emptyMore') }}
        columns={[
          {
            id: 'name',
            title: t('name'),
            cell: (person) => (
              <span className={styles['person']} data-off={person.deactivatedAt ? '' : undefined}>
                <Avatar person={person} />
                {nameOf(person)} <Away person={person} />
                {person.isBot && <Badge>{t('program')}</Badge>}
                {person.isGuestCreated && <Badge>{t('guest')}</Badge>}
                {person.deactivatedAt && <Badge>{t('deactivated')}</Badge>}
              </span>
            ),
          },
          { id: 'email', title: t('email'), cell: ({ email }) => email },
          {
            id: 'access',
            title: t('role'),
            cell: (person) => (hasAccess(person) ? <Access person={person} queues={queues} /> : null),
          },
          {
            id: 'chat',
            title: t('accounts'),
            cell: (person) =>
              isUnlinked(person) ? (
                <Badge>{t('noAccount')}</Badge>
              ) : (
                format.list(
                  person.chatUsers.map((account) => accountName(account) ?? t('account')),
                  { type: 'conjunction' },
                )
              ),
          },
        ]}
      />
      {more.isThere && (
        <Button onPress={more.read} isPending={more.isReading}>
          {common('more')}
        </Button>
      )}
      {isNew && <NewPerson onClose={() => setNew(false)} />}
    </Page>
  );
}

/** `Agent in IT and People`, `Agent in all queues`, `Admin`. */
export function Access({
  person: { role, queueIds },
  queues,
}: {
  person: Person;
  queues: readonly { id: string; name: string }[];
}) {
  const t = useTranslations('access.people');
  const account = useTranslations('account');
  if (!role) return null;
  if (role !== 'agent') return account(`role.${role}`);
  if (queueIds === null) return t('agentOfAll');
  const names = queueIds.map((id) => queues.find((queue) => queue.id === id)?.name ?? t('deletedQueue'));
  return names.length === 0
    ? t('agentOfNone')
    : t('agentOf', { queues: new Intl.ListFormat('en').format(names) });
}

function NewPerson({ onClose }: { onClose: () => void }) {
  const t = useTranslations('access.people');
  const navigate = useNavigate();
  const [firstName, setFirstName] = useState('');
  const [lastName, setLastName] = useState('');
  const [email, setEmail] = useState('');
  const create = async () => {
    // The service would update the person who has this e-mail.
    const other = await findByEmail(email.trim());
    if (other) throw new Refusal(409, t('hasEmail', { name: nameOf(other) }));
    const body = {
      firstName: firstName.trim(),
      lastName: lastName.trim() || null,
      email: email.trim(),
    };
    const { id } = await ifAble('createUser', t('cannotAdd'), () => call('createUser', { body }));
    await refresh(['listUsers']);
    void navigate({ to: '/settings/{-$section}/{-$item}', params: { section: 'people', item: id } });
  };
  return (
    <NewDialog
      title={t('add')}
      action={t('add')}
      isReady={Boolean(firstName.trim()) && /^[^\s@]+@[^\s@]+$/.test(email.trim())}
      create={create}
      onClose={onClose}
    >
      <TextField
        label={t('firstName')}
        value={firstName}
        onChange={setFirstName}
        autoFocus
        maxLength={200}
        autoComplete="off"
      />
      <TextField
        label={t('lastName')}
        value={lastName}
        onChange={setLastName}
        maxLength={200}
        autoComplete="off"
      />
      <TextField
        label={t('email')}
        help={t('emailHelp')}
        type="email"
        value={email}
        onChange={setEmail}
        maxLength={200}
        autoComplete="off"
      />
      <p className={styles['muted']}>{t('addNext', { address: location.origin })}</p>
      <p className={styles['muted']}>
        {t.rich('addNextLink', {
          email: email.trim() || 'ada@acme.example',
          code: (words: ReactNode) => <code>{words}</code>,
        } as never)}
      </p>
    </NewDialog>
  );
}
