import { Link } from '@tanstack/react-router';
import { Hash, Lock } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { call, Refusal } from '../../api/call.ts';
import { queryClient, useChoices } from '../../api/query.ts';
import type { BodyOf, Queue } from '../../api/types.ts';
import { SavedChoice, SavedSwitch, SavedText } from '../parts/fields.tsx';
import { Fields, Group, Page, PageTabs } from '../parts/page.tsx';
import { SavedPeople } from '../parts/people-field.tsx';
import { SavedSeveral } from '../parts/several-of.tsx';
import { useInTurn } from '../../kit/use-saved.ts';
import { useLinkedChannels } from '../parts/workspaces.tsx';
import { recordsKey, refresh, showRecord } from '../parts/write.ts';
import styles from './queue.module.css';
import { isPrefix } from './prefix.ts';
import { QUEUE_SWITCHES, type SwitchTab } from './switches.ts';
import { TargetTable } from './targets.tsx';
import { VisibilityChoice } from './visibility.tsx';
import { WarningsFields } from './warnings.tsx';

type Change = NonNullable<BodyOf<'updateQueue'>>;
type Settings = NonNullable<Change['settings']>;

/** Writes part of a queue, and shows it wherever queues are chosen. */
function useChange({ id }: Queue) {
  const t = useTranslations('queues');
  return async (change: Change) => {
    const record = await call('updateQueue', { params: { id }, body: change });
    showRecord('listQueues', record);
    void refresh(['readQueueReaders']);
    const written = record.settings as Record<string, unknown> | null;
    // A service ignores settings that it does not know.
    const isTaken = Object.entries(change.settings ?? {}).every(
      ([key, value]) => typeof value === 'object' || written?.[key] === value,
    );
    if (!isTaken) throw new Refusal(200, t('notTaken'));
  };
}

/** One queue: its names, people, channels and switches. */
export function QueuePage({ queue }: { queue: Queue }) {
  const t = useTranslations('queues');
  const change = useChange(queue);
  const { name, emoji, settings } = queue;
  const switches = (tab: SwitchTab) => <Switches tab={tab} settings={settings} change={change} />;
  return (
    <Page
      backTo="queues"
      title={
        <>
          {emoji && <span aria-hidden>{emoji} </span>}
          {name}
        </>
      }
    >
      <PageTabs
        label={name}
        tabs={[
          { id: 'general', title: t('tabs.general'), content: <General queue={queue} change={change} /> },
          {
            id: 'intake',
            title: t('tabs.intake'),
            content: (
              <>
                {switches('intake')}
                <RequestTypes queue={queue} change={change} />
                <Channels queue={queue} />
              </>
            ),
          },
          { id: 'chat', title: t('tabs.chat'), content: switches('chat') },
          {
            id: 'times',
            title: t('tabs.times'),
            content: (
              <>
                <Times queue={queue} change={change} />
                {hasTimes(queue) && switches('times')}
              </>
            ),
          },
          {
            id: 'notifications',
            title: t('tabs.notifications'),
            content: switches('notifications'),
          },
          {
            id: 'ai',
            title: t('tabs.ai'),
            content: (
              <>
                {switches('ai')}
                {settings && <Answered value={settings.respondOnMessage} change={change} />}
              </>
            ),
          },
        ]}
      />
    </Page>
  );
}

type ChangeQueue = (change: Change) => Promise<void>;

function Switches({
  tab,
  settings,
  change,
}: {
  tab: SwitchTab;
  settings: Queue['settings'];
  change: ChangeQueue;
}) {
  const t = useTranslations('queues');
  if (!settings) return <p className={styles['none']}>{t('noSettings')}</p>;
  return (
    <Group>
      {QUEUE_SWITCHES[tab].map((key) => (
        <SavedSwitch
          key={key}
          label={t(`switches.${key}.label`)}
          help={t(`switches.${key}.help`)}
          value={settings[key]}
          save={(isOn) => change({ settings: { [key]: isOn } })}
        />
      ))}
    </Group>
  );
}

function General({ queue, change }: { queue: Queue; change: ChangeQueue }) {
  const t = useTranslations('queues.fields');
  return (
    <>
      <Group>
        <SavedText
          label={t('name')}
          value={queue.name}
          isRequired
          maxLength={200}
          save={(name) => change({ name })}
        />
        <Fields>
          <SavedText
            label={t('prefix')}
            help={t('prefixHelp')}
            value={queue.prefix}
            isRequired
            maxLength={10}
            autoComplete="off"
            check={(text) => (isPrefix(text) ? undefined : t('prefixWrong'))}
            save={(text) => change({ prefix: text.toUpperCase() })}
          />
          <SavedText
            label={t('emoji')}
            help={t('emojiHelp')}
            value={queue.emoji ?? ''}
            maxLength={40}
            autoComplete="off"
            save={(emoji) => change({ emoji })}
          />
        </Fields>
      </Group>
      <Group>
        <SavedPeople
          label={t('assignees')}
          help={t('assigneesHelp')}
          ids={queue.autoAssignees.map(({ id }) => id)}
          save={(ids) => change({ autoAssignees: ids.join(',') })}
        />
      </Group>
      {queue.visibility && <VisibilityChoice queue={queue} change={change} />}
    </>
  );
}

function RequestTypes({ queue, change }: { queue: Queue; change: ChangeQueue }) {
  const t = useTranslations('queues.fields');
  const listed = useChoices('listRequestTypes');
  const forms = useChoices('listForms');
  // The specification only has the list of forms.
  const types = (listed.length > 0 ? listed : forms).filter(
    ({ type, published, workspaceId }) =>
      type !== 'collection' && published && workspaceId === queue.workspaceId,
  );
  if (types.length === 0) return null;
  return (
    <Group>
      <SavedSeveral
        label={t('requestTypes')}
        help={t('requestTypesHelp')}
        add={t('addRequestType')}
        options={types.map(({ id, name, emoji }) => ({ id, text: name, ...(emoji && { sign: emoji }) }))}
        value={queue.requestTypes.map(({ id }) => id)}
        save={(ids) => change({ requestTypes: ids.map((id) => ({ id })) })}
      />
    </Group>
  );
}

function Channels({ queue }: { queue: Queue }) {
  const t = useTranslations('queues');
  const linked = useLinkedChannels(queue);
  return (
    <Group title={t('linked')} {...(linked.length === 0 && { help: t('notLinked') })}>
      {linked.length > 0 && (
        <ul className={styles['channels']}>
          {linked.map(({ id: channel, channelName, channelId, type, private: isPrivate }) => (
            <li key={channel}>
              {isPrivate ? <Lock size={13} aria-hidden /> : <Hash size={13} aria-hidden />}
              {channelName ?? channelId}
              <span className={styles['none']}>
                {type === 'TRIAGE' ? t('triageChannel') : t('requestChannel')}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Link to="/settings/{-$section}/{-$item}" params={{ section: 'channels', item: undefined }}>
        {t('changeChannels')}
      </Link>
    </Group>
  );
}

const ANSWERED = ['all-messages', 'channel-messages', 'no-messages'] as const;

function Answered({ value, change }: { value: Settings['respondOnMessage']; change: ChangeQueue }) {
  const t = useTranslations('queues');
  return (
    <Group>
      <SavedChoice
        label={t('fields.respondOnMessage')}
        value={value ?? ''}
        placeholder={t('answered.other')}
        options={ANSWERED.map((id) => ({ id, text: t(`answered.${id}`) }))}
        save={(id) => change({ settings: { respondOnMessage: ANSWERED.find((each) => each === id) } })}
      />
    </Group>
  );
}

/** Another service has neither the switches of times nor warnings, as it has no visibility: they would read as off. */
const hasTimes = ({ settings, visibility }: Queue) => settings !== null && visibility !== null;

/** Writes a setting of several values, for their fields: each write starts from the answer of the one before. */
function useWhole<Key extends 'targets' | 'warnings'>(
  key: Key,
  { id, settings }: Queue,
  change: ChangeQueue,
) {
  type Value = NonNullable<Queue['settings']>[Key] | null;
  const inTurn = useInTurn();
  const present = (): Value => {
    const listed = queryClient.getQueryData<{ items: Queue[] }>(recordsKey('listQueues'));
    const queue = listed?.items.find((each) => each.id === id);
    return queue?.settings?.[key] ?? settings?.[key] ?? null;
  };
  return (next: (present: Value) => Value) => inTurn(() => change({ settings: { [key]: next(present()) } }));
}

function Times({ queue, change }: { queue: Queue; change: ChangeQueue }) {
  const t = useTranslations('queues');
  const hours = useChoices('listBusinessHours').filter(
    ({ workspaceId }) => workspaceId === queue.workspaceId,
  );
  const saveTargets = useWhole('targets', queue, change);
  const saveWarnings = useWhole('warnings', queue, change);
  const { settings } = queue;
  if (!settings) return <p className={styles['none']}>{t('noSettings')}</p>;
  return (
    <>
      <TargetTable targets={settings.targets} save={saveTargets} />
      {'businessHoursId' in queue && hours.length > 0 && (
        <Group>
          <SavedChoice
            label={t('fields.businessHours')}
            help={t('fields.businessHoursHelp')}
            value={queue.businessHoursId ?? ''}
            options={[
              { id: '', text: t('fields.noBusinessHours') },
              ...hours.map(({ id: hoursId, name, timeZone }) => ({
                id: hoursId,
                text: name,
                detail: timeZone,
              })),
            ]}
            save={(hoursId) => change({ businessHoursId: hoursId || null })}
          />
        </Group>
      )}
      {hasTimes(queue) && <WarningsFields warnings={settings.warnings} save={saveWarnings} />}
    </>
  );
}
