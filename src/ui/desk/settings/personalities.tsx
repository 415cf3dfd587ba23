import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { call, Refusal } from '../api/call.ts';
import { useChoices } from '../api/query.ts';
import type { BodyOf, ItemOf } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/field.tsx';
import { showToast } from '../../kit/toast.tsx';
import { SavedChoice, SavedText } from './parts/fields.tsx';
import { Danger, Fields, Group, NewDialog, Page } from './parts/page.tsx';
import { Records } from './parts/records.tsx';
import { ifAble, refresh, showRecord, useLacks, useRecords } from './parts/write.ts';
import { useIsHere, useWorkspace, WorkspaceChoice } from './parts/workspaces.tsx';
import { personalityName } from './personality-name.ts';
import type { SectionProps } from './section.ts';

type Personality = ItemOf<'listPersonalities'>;
const CHANGE = 'savePersonality';

/** How AI agents write: the persona for the model, and the first and last sentences of each answer. */
export function PersonalitiesSettings({ item }: SectionProps) {
  const t = useTranslations('ai.personalities');
  const sections = useTranslations('settings.sections');
  const read = useRecords('listPersonalities');
  const agents = useChoices('listAgents');
  const isHere = useIsHere();
  const lacks = useLacks(CHANGE);
  const [isNew, setNew] = useState(false);
  const all = read.data?.items ?? [];
  const open = all.find(({ id }) => id === item);
  if (open) return <PersonalityPage key={open.id} personality={open} />;
  return (
    <Page
      title={sections('personalities')}
      intro={item && item !== 'new' && read.data ? t('gone') : t('intro')}
      size="wide"
      action={
        read.data &&
        !lacks && (
          <Button kind="primary" onPress={() => setNew(true)}>
            <Plus size={14} aria-hidden /> {t('new')}
          </Button>
        )
      }
    >
      <WorkspaceChoice />
      <Records
        label={sections('personalities')}
        read={read}
        rows={all.filter((each) => !each.workspaceId || isHere(each))}
        section="personalities"
        empty={{ title: t('empty'), more: t('emptyMore') }}
        columns={[
          {
            id: 'name',
            title: t('persona'),
            cell: (each) => personalityName(each, t('undescribed')),
          },
          {
            id: 'agents',
            title: t('agents'),
            cell: ({ id }) =>
              agents
                .filter(({ personalityId }) => personalityId === id)
                .map(({ name }) => name)
                .join(', '),
          },
        ]}
      />
      {isNew && <NewPersonality onClose={() => setNew(false)} />}
    </Page>
  );
}

function NewPersonality({ onClose }: { onClose: () => void }) {
  const t = useTranslations('ai.personalities');
  const navigate = useNavigate();
  const workspace = useWorkspace();
  const [persona, setPersona] = useState('');
  const [tone, setTone] = useState('');
  const create = async () => {
    const body = {
      persona: persona.trim(),
      tone: tone.trim() || null,
      ...(workspace && { workspaceId: workspace.id }),
    };
    const { id } = await ifAble(CHANGE, t('cannotChange'), () => call('savePersonality', { body }));
    await refresh(['listPersonalities']);
    void navigate({ to: '/settings/{-$section}/{-$item}', params: { section: 'personalities', item: id } });
  };
  return (
    <NewDialog
      title={t('new')}
      action={t('create')}
      isReady={Boolean(persona.trim())}
      create={create}
      onClose={onClose}
    >
      <TextField
        label={t('persona')}
        help={t('personaHelp')}
        value={persona}
        onChange={setPersona}
        rows={3}
        autoFocus
      />
      <TextField
        label={t('tone')}
        placeholder={t('toneExample')}
        value={tone}
        onChange={setTone}
        maxLength={200}
      />
    </NewDialog>
  );
}

const LENGTHS = ['short', 'long'] as const;

function PersonalityPage({ personality }: { personality: Personality }) {
  const t = useTranslations('ai.personalities');
  const navigate = useNavigate();
  const { id, length } = personality;
  const name = personalityName(personality, t('undescribed'));
  const change = async (part: Omit<NonNullable<BodyOf<'savePersonality'>>, 'id'>) =>
    showRecord(
      'listPersonalities',
      await ifAble(CHANGE, t('cannotChange'), () => call('savePersonality', { body: { id, ...part } })),
    );
  const text = (key: 'persona' | 'tone' | 'emoji' | 'greeting' | 'branding', rows?: number) => (
    <SavedText
      label={t(key)}
      value={personality[key] ?? ''}
      autoComplete="off"
      {...(rows ? { rows } : { maxLength: 200 })}
      {...(key === 'tone' || key === 'emoji'
        ? { placeholder: t(`${key}Example`) }
        : { help: t(`${key}Help`) })}
      save={(given) => change({ [key]: given || null })}
    />
  );
  const remove = async () => {
    try {
      await ifAble('deletePersonality', t('cannotChange'), () =>
        call('deletePersonality', { params: { id } }),
      );
    } catch (error) {
      if (error instanceof Refusal && error.status === 409) throw new Refusal(409, t('inUse'));
      throw error;
    }
    await navigate({
      to: '/settings/{-$section}/{-$item}',
      params: { section: 'personalities', item: undefined },
    });
    await refresh(['listPersonalities']);
    showToast({ kind: 'done', text: t('removed') });
  };
  const known = LENGTHS.some((each) => each === length);
  return (
    <Page backTo="personalities" title={name}>
      <Group>
        {text('persona', 3)}
        <Fields>
          {text('tone')}
          {text('emoji')}
        </Fields>
        <SavedChoice
          label={t('length')}
          value={length ?? ''}
          options={[
            { id: '', text: t('lengths.medium') },
            ...LENGTHS.map((each) => ({ id: each, text: t(`lengths.${each}`) })),
            ...(length && !known ? [{ id: length, text: length }] : []),
          ]}
          save={(chosen) => change({ length: chosen || null })}
        />
        {text('greeting', 2)}
        {text('branding', 2)}
      </Group>
      <Danger title={t('remove')} help={t('removeHelp')} name={name} onConfirm={remove} />
    </Page>
  );
}
