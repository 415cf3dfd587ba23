import { ChevronDown, Hash, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { useChatChannels } from '../../api/chat-lists.ts';
import { nameOf, usePeople, usePerson } from '../../api/people.ts';
import type { Queue } from '../../api/types.ts';
import { Avatar } from '../../kit/avatar.tsx';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Labelled, TextField } from '../../../kit/field.tsx';
import { readNumber } from '../../kit/number.ts';
import { PersonPicker } from '../../kit/person-picker.tsx';
import { PrioritySign } from '../../kit/signs.tsx';
import { channelIdIn } from '../channels/channel-id.ts';
import { Choice, SavedSign, SavedText } from '../parts/fields.tsx';
import { Group, NewDialog } from '../parts/page.tsx';
import { SavedSeveral } from '../parts/several-of.tsx';
import { useSaved } from '../../kit/use-saved.ts';
import styles from './warnings.module.css';

export type Warnings = NonNullable<NonNullable<Queue['settings']>['warnings']>;
type Escalation = Warnings['escalations'][number];

const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;
/** The contract's defaults for a queue without the setting. */
const USUAL: Warnings = { percent: 80, escalations: [], outsideHours: [] };
/** The contract's maxima. */
const MOST_PERCENT = 1_000;
const MOST_ESCALATIONS = 20;

/** Parses `80` or `80%` into a share between 1 and `most`; undefined for any other text. */
function percentOf(text: string, most: number): number | undefined {
  const percent = readNumber(text.replace(/%\s*$/, ''));
  return percent !== undefined && Number.isInteger(percent) && percent >= 1 && percent <= most
    ? percent
    : undefined;
}

/** The warnings about targets: recipients and shares. Each part is saved by itself. */
export function WarningsFields({
  warnings: stored,
  save,
}: {
  warnings: Warnings | null;
  /** Gets the present setting, which another field may have changed meanwhile. */
  save: (change: (present: Warnings | null) => Warnings) => Promise<unknown>;
}) {
  const t = useTranslations('queues.warnings');
  const names = useTranslations('common.priority');
  const warnings = stored ?? USUAL;
  const set = (part: (present: Warnings) => Partial<Warnings>) =>
    save((present) => ({ ...(present ?? USUAL), ...part(present ?? USUAL) }));
  return (
    <Group title={t('title')} help={t('help')}>
      <SavedText
        label={t('percent')}
        help={t('percentHelp')}
        placeholder={t('noPercent')}
        autoComplete="off"
        value={warnings.percent === null ? '' : `${warnings.percent}%`}
        check={(text) => (text === '' || percentOf(text, 99) !== undefined ? undefined : t('percentWrong'))}
        save={(text) => set(() => ({ percent: percentOf(text, 99) ?? null }))}
      />
      <Escalations
        escalations={warnings.escalations}
        set={(of) => set(({ escalations }) => ({ escalations: of(escalations) }))}
      />
      <SavedSeveral
        label={t('outsideHours')}
        help={t('outsideHoursHelp')}
        add={t('addPriority')}
        options={PRIORITIES.map((id) => ({ id, text: names(id), sign: <PrioritySign priority={id} /> }))}
        value={warnings.outsideHours}
        save={(ids) => set(() => ({ outsideHours: PRIORITIES.filter((priority) => ids.includes(priority)) }))}
      />
    </Group>
  );
}

type SetEscalations = (of: (present: readonly Escalation[]) => Escalation[]) => Promise<unknown>;

const isSame = (one: Escalation, other: Escalation) =>
  one.percent === other.percent && one.userId === other.userId && one.chatChannelId === other.chatChannelId;

/** Further shares, each with the person or the channel that is told. */
function Escalations({ escalations, set }: { escalations: readonly Escalation[]; set: SetEscalations }) {
  const t = useTranslations('queues.warnings');
  const saved = useSaved();
  const [isNew, setNew] = useState(false);
  const people = usePeople(escalations.flatMap(({ userId }) => userId ?? []));
  const hasChannels = escalations.some(({ chatChannelId }) => chatChannelId !== null);
  const { channels } = useChatChannels({ enabled: hasChannels });
  const toldBy = ({ userId, chatChannelId }: Escalation) =>
    userId === null
      ? (channels.find(({ id }) => id === chatChannelId)?.name ?? chatChannelId ?? '')
      : nameOf(people.get(userId));
  return (
    <Labelled label={t('escalations')} help={t('escalationsHelp')}>
      {escalations.length > 0 && (
        <ul className={styles['escalations']} aria-label={t('escalations')}>
          {escalations
            .toSorted((one, other) => one.percent - other.percent)
            .map((escalation, index) => {
              const { percent, userId } = escalation;
              const name = toldBy(escalation);
              return (
                <li key={index}>
                  <span className={styles['percent']}>{t('at', { percent })}</span>
                  {userId === null ? <Hash size={14} aria-hidden /> : <Avatar person={people.get(userId)} />}
                  <span className={styles['told']}>{name}</span>
                  <IconButton
                    label={t('removeEscalation', { percent, name })}
                    onPress={() =>
                      void saved.save(() =>
                        set((present) => present.filter((each) => !isSame(each, escalation))),
                      )
                    }
                  >
                    <X size={14} aria-hidden />
                  </IconButton>
                </li>
              );
            })}
        </ul>
      )}
      <div className={styles['saved']}>
        {escalations.length < MOST_ESCALATIONS && (
          <Button size="small" onPress={() => setNew(true)}>
            <Plus size={14} aria-hidden /> {t('addEscalation')}
          </Button>
        )}
        <SavedSign of={saved} />
      </div>
      {isNew && (
        <NewEscalation
          create={(escalation) =>
            set((present) => [...present.filter((each) => !isSame(each, escalation)), escalation])
          }
          onClose={() => setNew(false)}
        />
      )}
    </Labelled>
  );
}

function NewEscalation({
  create,
  onClose,
}: {
  create: (escalation: Escalation) => Promise<unknown>;
  onClose: () => void;
}) {
  const t = useTranslations('queues.warnings');
  const [typed, setTyped] = useState('100');
  const [kind, setKind] = useState<'person' | 'channel'>('person');
  const [userId, setUserId] = useState('');
  const [channel, setChannel] = useState('');
  const percent = percentOf(typed, MOST_PERCENT);
  const channelId = channelIdIn(channel);
  const told =
    kind === 'person'
      ? { userId: userId || null, chatChannelId: null }
      : { userId: null, chatChannelId: channelId ?? null };
  const isReady = percent !== undefined && (told.userId ?? told.chatChannelId) !== null;
  return (
    <NewDialog
      title={t('addEscalation')}
      action={t('addEscalation')}
      isReady={isReady}
      create={async () => percent !== undefined && create({ percent, ...told })}
      onClose={onClose}
    >
      <TextField
        label={t('share')}
        help={t('shareHelp')}
        value={typed}
        onChange={setTyped}
        autoFocus
        autoComplete="off"
        maxLength={10}
        error={typed.trim() && percent === undefined ? t('shareWrong') : undefined}
      />
      <Choice
        label={t('kind')}
        value={kind}
        options={[
          { id: 'person', text: t('person'), detail: t('personHelp') },
          { id: 'channel', text: t('channel'), detail: t('channelHelp') },
        ]}
        onChange={(id) => setKind(id === 'channel' ? 'channel' : 'person')}
      />
      {kind === 'person' ? (
        <PersonChoice label={t('person')} id={userId} onChange={setUserId} />
      ) : (
        <ChannelChoice label={t('channel')} value={channel} onChange={setChannel} />
      )}
    </NewDialog>
  );
}

function PersonChoice({
  label,
  id,
  onChange,
}: {
  label: string;
  id: string;
  onChange: (id: string) => void;
}) {
  const t = useTranslations('settings');
  const person = usePerson(id);
  const text = person ? nameOf(person) : t('choose');
  return (
    <Labelled label={label}>
      <PersonPicker label={label} only="team" selected={[id]} onChange={([next = '']) => onChange(next)}>
        <Button aria-label={`${label}: ${text}`}>
          {person && <Avatar person={person} size={16} />}
          {text}
          <ChevronDown size={14} aria-hidden />
        </Button>
      </PersonPicker>
    </Labelled>
  );
}

/** A channel of those that chat lists; where it lists none, by its link or its ID. */
function ChannelChoice({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (id: string) => void;
}) {
  const t = useTranslations('channels');
  const { channels, isPending } = useChatChannels();
  if (isPending) return null;
  if (channels.length > 0)
    return (
      <Choice
        label={label}
        value={value}
        options={channels
          .toSorted((one, other) => one.name.localeCompare(other.name))
          .map(({ id, name, isPrivate }) => ({
            id,
            text: name,
            detail: isPrivate ? t('private') : '',
            sign: <Hash size={14} aria-hidden />,
          }))}
        onChange={onChange}
      />
    );
  return (
    <TextField
      label={label}
      help={t('channelHelp')}
      value={value}
      onChange={onChange}
      autoComplete="off"
      placeholder="C0123456789"
      maxLength={300}
      error={value.trim() && !channelIdIn(value) ? t('channelWrong') : undefined}
    />
  );
}
