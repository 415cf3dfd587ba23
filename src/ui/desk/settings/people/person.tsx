import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { Absences } from '../../account/absences.tsx';
import { Identities } from '../../account/identities.tsx';
import { Refusal } from '../../api/call.ts';
import { nameOf } from '../../api/people.ts';
import { useOperation } from '../../api/query.ts';
import type { Person } from '../../api/types.ts';
import { Avatar } from '../../kit/avatar.tsx';
import { Away } from '../../kit/away.tsx';
import { Empty, Failed, Loading } from '../../kit/states.tsx';
import { SavedText } from '../parts/fields.tsx';
import { Fields, Group, Page } from '../parts/page.tsx';
import { Badge } from '../parts/records.tsx';
import { Activity, RoleChoice, SignedIn } from './access.tsx';
import { LinkAccount } from './link-account.tsx';
import { useMade } from './made.tsx';
import styles from './people.module.css';
import {
  accountName,
  worksTickets,
  findByEmail,
  hasAccess,
  identifyPerson,
  isIdentifiable,
  updatePerson,
  useChatTeams,
  usePersonRecord,
} from './records.ts';

/** One person: names, e-mail and picture, what they may do, their chat accounts and sessions. */
export function PersonPage({ id }: { id: string }) {
  const t = useTranslations('access.people');
  const read = usePersonRecord(id);
  const person = read.data;
  const frame = (title: ReactNode, content: ReactNode) => (
    <Page backTo="people" title={title}>
      {content}
    </Page>
  );
  if (read.isPending) return frame('', <Loading rows={6} />);
  if (read.error && !person)
    return frame('', <Failed error={read.error} onRetry={() => void read.refetch()} />);
  if (!person || person.erasedAt) return frame(t('gone'), <Empty title={t('gone')} />);
  return frame(
    <span className={styles['who']}>
      <Avatar person={person} size={40} />
      {nameOf(person)}
      <Away person={person} />
      {person.deactivatedAt && <Badge>{t('deactivated')}</Badge>}
    </span>,
    <One person={person} />,
  );
}

function One({ person }: { person: Person }) {
  const t = useTranslations('access.people');
  const account = useTranslations('account');
  const format = useFormatter();
  // Before it is known who else is an admin, nothing is offered.
  const admins = useOperation('listUsers', { query: { role: 'admin', limit: 100 } });
  const active = admins.data?.items.filter(({ role, deactivatedAt }) => role === 'admin' && !deactivatedAt);
  const isLast = active?.length === 1 && active[0]?.id === person.id;
  const canSignIn = hasAccess(person) && active !== undefined;
  const made = useMade(person, person.role === 'admin' && !person.deactivatedAt);
  return (
    <>
      <p className={styles['muted']}>
        {person.isBot && t('isProgram')} {person.isGuestCreated && t('isGuest')}{' '}
        {t('since', { date: format.dateTime(new Date(person.createdAt), { dateStyle: 'medium' }) })}{' '}
        <Link to="/views/$view" params={{ view: 'all' }} search={{ requesterId: person.id } as never}>
          {t('requests')}
        </Link>
      </p>
      <Names person={person} />
      {canSignIn && <RoleChoice person={person} isLast={isLast} admins={active} made={made} />}
      {worksTickets(person) && (
        <Absences
          userId={person.id}
          frame={(content) => (
            <Group title={account('absences.title')} help={account('absences.help')}>
              {content}
            </Group>
          )}
        />
      )}
      <Accounts person={person} />
      {hasAccess(person) && (
        <Identities
          userId={person.id}
          frame={(content) => <Group title={account('identities.title')}>{content}</Group>}
        />
      )}
      {hasAccess(person) && <SignedIn person={person} />}
      {canSignIn && <Activity person={person} isLast={isLast} admins={active} made={made} />}
    </>
  );
}

function Names({ person }: { person: Person }) {
  const t = useTranslations('access.people');
  const cannot = t('cannotChange');
  const { id, firstName, lastName, email, image } = person;
  const saveEmail = async (text: string) => {
    const other = await findByEmail(text, id);
    if (other) throw new Refusal(409, t('hasEmail', { name: nameOf(other) }));
    await updatePerson(person, { email: text }, cannot);
  };
  return (
    <Group>
      <Fields>
        <SavedText
          label={t('firstName')}
          value={firstName ?? ''}
          isRequired
          maxLength={200}
          autoComplete="off"
          save={(text) => updatePerson(person, { firstName: text }, cannot)}
        />
        <SavedText
          label={t('lastName')}
          value={lastName ?? ''}
          maxLength={200}
          autoComplete="off"
          save={(text) => updatePerson(person, { lastName: text || null }, cannot)}
        />
      </Fields>
      <SavedText
        label={t('email')}
        help={t('emailHelp')}
        type="email"
        value={email ?? ''}
        isRequired={Boolean(email)}
        maxLength={200}
        autoComplete="off"
        check={(text) => (/^[^\s@]+@[^\s@]+$/.test(text) ? undefined : t('emailWrong'))}
        save={saveEmail}
      />
      {isIdentifiable(person) && (
        <SavedText
          label={t('picture')}
          help={t('pictureHelp')}
          type="url"
          value={image ?? ''}
          autoComplete="off"
          check={(text) =>
            text ? (/^https:\/\/\S+$/.test(text) ? undefined : t('pictureWrong')) : t('pictureStays')
          }
          save={(text) =>
            identifyPerson(person, { image: text }, { cannot, other: (name) => t('matchedOther', { name }) })
          }
        />
      )}
    </Group>
  );
}

function Accounts({ person }: { person: Person }) {
  const t = useTranslations('access.people');
  const { isBot, chatUsers } = person;
  const teams = useChatTeams([person]);
  return (
    <Group title={t('accounts')}>
      {chatUsers.length > 0 ? (
        <>
          <ul className={styles['accounts']}>
            {chatUsers.map((account) => {
              const team = teams.find(({ id }) => id === account.chatTeamId);
              return (
                <li key={account.id}>
                  <strong>{accountName(account) ?? t('account')}</strong>
                  {team && <span className={styles['muted']}>{t('inTeam', { team: team.text })}</span>}
                  <code title={t('memberId')}>{account.chatUserId}</code>
                </li>
              );
            })}
          </ul>
          <p className={styles['muted']}>{t('accountsHelp')}</p>
        </>
      ) : isBot ? (
        <p className={styles['muted']}>{t('programHelp')}</p>
      ) : (
        <div className={styles['box']}>
          <p>
            <strong>{t('noAccountTitle')}</strong> {t('untilLinked')}
          </p>
          <ul>
            <li>{t('noNotices')}</li>
            <li>{t('noMention')}</li>
            <li>{t('otherUser')}</li>
          </ul>
          <p>{t('linkedByItself')}</p>
        </div>
      )}
      {isIdentifiable(person) && <LinkAccount person={person} />}
    </Group>
  );
}
