import { Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Equal, Hash, KeyRound, Users, Webhook } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';

import { useOperation } from '../../api/query.ts';
import type { Answer, BodyOf, Queue } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Effect, Effects } from '../../kit/effects.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Failed, Loading } from '../../kit/states.tsx';
import { SavedSign } from '../parts/fields.tsx';
import { Group } from '../parts/page.tsx';
import { RadioChoices } from '../parts/radio-choices.tsx';
import { useLinkedChannels } from '../parts/workspaces.tsx';
import { useSaved } from '../../kit/use-saved.ts';
import { isMissing } from '../parts/write.ts';
import type { SectionId } from '../section.ts';
import styles from './visibility.module.css';

const KINDS = ['workspace', 'agents', 'team'] as const;
type Kind = (typeof KINDS)[number];

type Readers = Answer<'readQueueReaders'>;

/**
 * The setting of who can read the queue's tickets. A choice asks first, with its effects, and is saved by the answer.
 */
export function VisibilityChoice({
  queue,
  change,
}: {
  queue: Queue;
  change: (change: Pick<NonNullable<BodyOf<'updateQueue'>>, 'visibility'>) => Promise<unknown>;
}) {
  const t = useTranslations('queues.visibility');
  const common = useTranslations('common');
  const saved = useSaved();
  const [chosen, setChosen] = useState<Kind>();
  const kind = KINDS.find((each) => each === queue.visibility) ?? null;
  const isChanged = chosen !== undefined && chosen !== kind;
  const readers = useReaders(queue, isChanged ? chosen : undefined);
  const hasNoTeam = chosen === 'team' && readers.data?.members === 0;
  const close = () => setChosen(undefined);
  const save = async () => {
    if (await saved.save(() => change({ visibility: chosen }))) setChosen(undefined);
  };
  return (
    <Group title={t('title')}>
      <div className={styles['saved']}>
        <RadioChoices
          label={t('label')}
          // What is saved: a choice that moved before would look saved.
          value={kind}
          options={KINDS.map((id) => ({ id, text: t(`kinds.${id}.label`), help: t(`kinds.${id}.help`) }))}
          onChange={setChosen}
        />
        <SavedSign of={saved} isQuiet={isChanged} />
      </div>
      {isChanged && (
        <Dialog
          title={t('ask', { kind: t(`kinds.${chosen}.label`) })}
          onClose={close}
          footer={
            <>
              <Button onPress={close}>{common('cancel')}</Button>
              {!hasNoTeam && (
                <Button
                  kind="primary"
                  isDisabled={readers.isPending}
                  isPending={saved.isSaving}
                  onPress={() => void save()}
                >
                  {t('save')}
                </Button>
              )}
            </>
          }
        >
          <section className={styles['effect']} aria-label={t('effect')} aria-live="polite">
            <Changes queue={queue} kind={chosen} readers={readers} hasNoTeam={hasNoTeam} />
            <Failure text={saved.error} />
          </section>
        </Dialog>
      )}
    </Group>
  );
}

/** The effects of the change, read each time, because people, keys and the team change elsewhere. */
function useReaders({ id }: Queue, visibility: Kind | undefined) {
  return useOperation(
    'readQueueReaders',
    { params: { id }, query: { visibility: visibility ?? 'workspace' } },
    { enabled: visibility !== undefined, isFresh: true },
  );
}

function Changes({
  queue,
  kind,
  readers: { data, error, refetch },
  hasNoTeam,
}: {
  queue: Queue;
  kind: Kind;
  readers: ReturnType<typeof useReaders>;
  hasNoTeam: boolean;
}) {
  const t = useTranslations('queues.visibility');
  const requestChannels = useLinkedChannels(queue).filter(({ type }) => type !== 'TRIAGE');
  if (isMissing(error)) return <p>{t('unknown')}</p>;
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={2} />;
  if (hasNoTeam) return <NoTeam />;
  const { gain, lose } = data;
  return (
    <>
      <Effects>
        {lose > 0 && (
          <Effect sign={<ArrowDown size={14} aria-hidden />} more={t('loseMore')}>
            {t('lose', { count: lose })}
          </Effect>
        )}
        {gain > 0 && (
          <Effect sign={<ArrowUp size={14} aria-hidden />} more={t('gainMore')}>
            {t('gain', { count: gain })}
          </Effect>
        )}
        {lose + gain === 0 && <Effect sign={<Equal size={14} aria-hidden />}>{t('same')}</Effect>}
        <Effect sign={<Users size={14} aria-hidden />} more={t('teamMore')}>
          {t('team', { count: data.members })}
        </Effect>
        {kind !== 'workspace' &&
          requestChannels.map(({ id, channelName, channelId }) => (
            <Effect key={id} sign={<Hash size={14} aria-hidden />} more={t('channelMore')}>
              {t('channel', { channel: channelName ?? channelId ?? '' })}
            </Effect>
          ))}
      </Effects>
      <Programs readers={data} />
    </>
  );
}

/** The API keys and webhooks that read the queue whatever is chosen. */
function Programs({ readers: { keys, webhooks } }: { readers: Readers }) {
  const t = useTranslations('queues.visibility');
  if (keys.length + webhooks.length === 0) return null;
  return (
    <div className={styles['programs']}>
      <h3>{t('programs')}</h3>
      <Effects label={t('programs')}>
        {keys.map(({ id, name }) => (
          <Effect key={id} sign={<KeyRound size={14} aria-hidden />}>
            {t('key', { name: name || t('unnamed') })}
          </Effect>
        ))}
        {webhooks.map(({ id, name }) => (
          <Effect key={id} sign={<Webhook size={14} aria-hidden />}>
            {t('webhook', { name: name || t('unnamed') })}
          </Effect>
        ))}
      </Effects>
      <p className={styles['muted']}>{t.rich('programsMore', linkTo('api-keys'))}</p>
    </div>
  );
}

/** Words of a text that lead to another section. */
const linkTo = (section: SectionId) =>
  ({
    link: (words: ReactNode) => (
      <Link to="/settings/{-$section}/{-$item}" params={{ section, item: undefined }}>
        {words}
      </Link>
    ),
  }) as never;

/** Why a queue without a member cannot be its team's, and how it gets one. */
function NoTeam() {
  const t = useTranslations('queues.visibility');
  return (
    <div>
      <p>
        <strong>{t('noTeam')}</strong>
      </p>
      <p>{t.rich('noTeamMore', linkTo('people'))}</p>
    </div>
  );
}
