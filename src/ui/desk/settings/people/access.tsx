import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';

import { Sessions } from '../../account/sessions.tsx';
import { useEndSessions } from '../../account/end-sessions.ts';
import { Refusal } from '../../api/call.ts';
import { nameOf } from '../../api/people.ts';
import { useChoices, useOperation } from '../../api/query.ts';
import { type Role, useSession } from '../../api/session.ts';
import type { Person } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Failed, Loading } from '../../kit/states.tsx';
import { SavedSign } from '../parts/fields.tsx';
import { AskBeforeLeaving } from '../parts/leaving.tsx';
import { Danger, Group } from '../parts/page.tsx';
import { RadioChoices } from '../parts/radio-choices.tsx';
import { QueuesField, SeveralQueues } from '../parts/queues-field.tsx';
import { useSaved } from '../../kit/use-saved.ts';
import { type Fate, heirOf, isDecided, type Made, MadeByThem } from './made.tsx';
import styles from './people.module.css';
import { updatePerson } from './records.ts';

const ROLES = ['requester', 'agent', 'admin'] as const;
const LAST = 'last-admin';

interface AccessProps {
  person: Person;
  /** Whether nobody else is an active admin. */
  isLast: boolean;
  /** The active admins. */
  admins: readonly Person[];
  made: Made;
}

/** A role and its queues are saved together: half of a change could show too much. */
export function RoleChoice({ person, isLast, admins, made }: AccessProps) {
  const t = useTranslations('access.people');
  const common = useTranslations('common');
  const account = useTranslations('account');
  const session = useSession();
  const saved = useSaved();
  const hasTeams = useChoices('listQueues').some(({ visibility }) => visibility !== null);
  const [draft, setDraft] = useState<{ role: Role; queueIds: string[] | null }>();
  const [isAsking, setAsking] = useState(false);
  const [fate, setFate] = useState<Fate>();
  const { role, queueIds } = draft ?? { role: person.role, queueIds: person.queueIds };
  const set = (part: Partial<NonNullable<typeof draft>>) =>
    setDraft({ role: role ?? 'requester', queueIds, ...part });
  const isChanged =
    role !== person.role ||
    (role !== 'requester' && JSON.stringify(queueIds) !== JSON.stringify(person.queueIds));
  const save = async () => {
    const body = { role, queueIds: role === 'requester' ? null : queueIds, ...heirOf(fate) };
    if (!(await saved.save(() => updatePerson(person, body, t('cannotChange'))))) return;
    setDraft(undefined);
    close();
  };
  const close = () => {
    setAsking(false);
    setFate(undefined);
  };
  /** Keys and webhooks of an admin are not left behind silently when the role changes. */
  const saveOrAsk = () => {
    if (person.role === 'admin' && role !== 'admin' && made.items?.length !== 0) setAsking(true);
    else void save();
  };
  return (
    <Group title={t('access')}>
      {isLast && (
        <p className={styles['notice']} id={LAST}>
          {t('lastAdmin', { name: nameOf(person) })}
        </p>
      )}
      <RadioChoices
        label={t('role')}
        value={role}
        disabledBy={isLast ? LAST : undefined}
        options={ROLES.map((id) => ({ id, text: account(`role.${id}`), help: t(`does.${id}`) }))}
        onChange={(next) => set({ role: next })}
      />
      {role === 'agent' && (
        <QueuesField
          of="access.people"
          value={queueIds}
          first={person.queueIds ?? []}
          onChange={(ids) => set({ queueIds: ids })}
        />
      )}
      {role === 'admin' && hasTeams && (
        <SeveralQueues
          label={t('itsTeams')}
          help={t('itsTeamsHelp')}
          add={t('addQueue')}
          value={queueIds ?? []}
          // Of no team: all queues, as of every admin.
          onChange={(ids) => set({ queueIds: ids.length > 0 ? ids : null })}
        />
      )}
      {isChanged && <AskBeforeLeaving />}
      {isChanged && (
        <div className={styles['row']}>
          <Button kind="primary" isPending={saved.isSaving} onPress={saveOrAsk}>
            {t('saveAccess')}
          </Button>
          <Button onPress={() => setDraft(undefined)}>{common('cancel')}</Button>
          <span role="status">{t('notSaved')}</span>
          {person.id === session?.userId && role !== 'admin' && (
            <span className={styles['error']}>{t('isYou')}</span>
          )}
        </div>
      )}
      {isAsking && role && (
        <Dialog
          title={t('newRole', { name: nameOf(person), role: account(`role.${role}`) })}
          onClose={close}
          footer={
            <>
              <Button onPress={close}>{common('cancel')}</Button>
              <Button
                kind="primary"
                isDisabled={!isDecided(made, fate)}
                isPending={saved.isSaving}
                onPress={() => void save()}
              >
                {t('saveAccess')}
              </Button>
            </>
          }
        >
          <MadeByThem person={person} made={made} admins={admins} fate={fate} onChange={setFate} />
          <Failure text={saved.error} />
        </Dialog>
      )}
      <SavedSign of={saved} isQuiet={isAsking} />
    </Group>
  );
}

/** Where a person is signed in. */
export function SignedIn({ person }: { person: Person }) {
  const t = useTranslations('access.people');
  const session = useSession();
  const { isBusy, end } = useEndSessions();
  const query = { userId: person.id, sortBy: 'lastSeenAt', sortDirection: 'desc', limit: 200 } as const;
  const { data, error, refetch } = useOperation('listSessions', { query });
  if (error instanceof Refusal && error.isAbsent) return null;
  const others = (data?.items ?? []).filter(({ id }) => id !== session?.id);
  return (
    <Group title={t('sessions')}>
      {error ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading rows={2} />
      ) : data.items.length === 0 ? (
        <p className={styles['muted']}>{t('noSessions')}</p>
      ) : (
        <Sessions
          sessions={data.items}
          currentId={session?.id}
          isBusy={isBusy}
          onEnd={(id) => void end([id])}
        />
      )}
      {others.length > 1 && (
        <div>
          <Button isPending={isBusy} onPress={() => void end(others.map(({ id }) => id))}>
            {others.length === data?.items.length ? t('endAll') : t('endOthers')}
          </Button>
        </div>
      )}
    </Group>
  );
}

/** Deactivates and reactivates. */
export function Activity({ person, isLast, admins, made }: AccessProps) {
  const t = useTranslations('access.people');
  const format = useFormatter();
  const saved = useSaved();
  const [fate, setFate] = useState<Fate>();
  const write = (isDeactivated: boolean) =>
    updatePerson(person, { isDeactivated, ...(isDeactivated && heirOf(fate)) }, t('cannotChange'));
  const name = nameOf(person);
  if (!person.deactivatedAt)
    return (
      <Danger
        title={t('deactivate')}
        help={t('deactivateHelp')}
        name={name}
        disabledBy={isLast ? LAST : undefined}
        isReady={isDecided(made, fate)}
        onOpen={() => {
          setFate(undefined);
          void made.refetch();
        }}
        onConfirm={() => write(true)}
      >
        <MadeByThem person={person} made={made} admins={admins} fate={fate} onChange={setFate} />
      </Danger>
    );
  const date = format.dateTime(new Date(person.deactivatedAt), { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Group title={t('isDeactivated')} help={t('deactivatedOn', { date })}>
      <div>
        <Button isPending={saved.isSaving} onPress={() => void saved.save(() => write(false))}>
          {t('reactivate')}
        </Button>
      </div>
      <SavedSign of={saved} />
    </Group>
  );
}
