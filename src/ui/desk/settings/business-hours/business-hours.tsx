import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { trimmed } from '../../../../contract/blank.ts';
import { call } from '../../api/call.ts';
import type { ItemOf } from '../../api/types.ts';
import { READER_TIME_ZONE } from '../../kit/locale.ts';
import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { showToast } from '../../../kit/toast.tsx';
import { Choice, SavedChoice, SavedSwitch, SavedText } from '../parts/fields.tsx';
import { Danger, Fields, Group, NewDialog, Page } from '../parts/page.tsx';
import { Badge, Records } from '../parts/records.tsx';
import { refresh, showRecord, useRecords, saveAndRefresh } from '../parts/write.ts';
import { useIsHere, useWorkspace, WorkspaceChoice } from '../parts/workspaces.tsx';
import type { SectionProps } from '../section.ts';
import { Holidays } from './holidays.tsx';
import { useWeekText, Week } from './week.tsx';

type BusinessHours = ItemOf<'listBusinessHours'>;
const LISTS = ['listBusinessHours'] as const;

/** Monday to Friday, as most offices begin. */
const OFFICE = [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '17:00' }));
const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map((id) => ({
  id,
  text: id.replaceAll('_', ' '),
}));

export function BusinessHoursSettings({ item }: SectionProps) {
  const t = useTranslations('settings.hours');
  const sections = useTranslations('settings.sections');
  const read = useRecords('listBusinessHours');
  const isHere = useIsHere();
  const weekText = useWeekText();
  const [isNew, setNew] = useState(false);
  const all = read.data?.items ?? [];
  const open = all.find(({ id }) => id === item);
  if (open) return <HoursPage key={open.id} hours={open} />;
  return (
    <Page
      title={sections('business-hours')}
      intro={item && read.data ? t('gone') : t('intro')}
      size="wide"
      action={
        <Button kind="primary" onPress={() => setNew(true)}>
          <Plus size={14} aria-hidden /> {t('new')}
        </Button>
      }
    >
      <WorkspaceChoice />
      <Records
        label={sections('business-hours')}
        read={read}
        rows={all.filter(isHere)}
        section="business-hours"
        empty={{ title: t('empty'), more: t('emptyMore') }}
        columns={[
          {
            id: 'name',
            title: t('name'),
            cell: ({ name, isDefault }) => (
              <>
                {name} {isDefault && <Badge>{t('default')}</Badge>}
              </>
            ),
          },
          { id: 'week', title: t('week'), cell: ({ days }) => weekText(days) },
          { id: 'zone', title: t('timeZone'), cell: ({ timeZone }) => timeZone.replaceAll('_', ' ') },
          {
            id: 'holidays',
            title: t('holidays'),
            isRight: true,
            cell: ({ holidays }) => holidays.length,
          },
        ]}
      />
      {isNew && <NewHours isFirst={all.length === 0} onClose={() => setNew(false)} />}
    </Page>
  );
}

function NewHours({ isFirst, onClose }: { isFirst: boolean; onClose: () => void }) {
  const t = useTranslations('settings.hours');
  const navigate = useNavigate();
  const workspace = useWorkspace();
  const [name, setName] = useState('');
  const [timeZone, setTimeZone] = useState(READER_TIME_ZONE);
  const create = async () => {
    const body = {
      name: trimmed(name),
      timeZone,
      days: OFFICE,
      isDefault: isFirst,
      ...(workspace && { workspaceId: workspace.id }),
    };
    const { id } = await saveAndRefresh('createBusinessHours', { body }, LISTS);
    void navigate({
      to: '/settings/{-$section}/{-$item}',
      params: { section: 'business-hours', item: id },
    });
  };
  return (
    <NewDialog
      title={t('new')}
      action={t('create')}
      isReady={Boolean(trimmed(name))}
      create={create}
      onClose={onClose}
    >
      <TextField
        label={t('name')}
        value={name}
        onChange={setName}
        autoFocus
        maxLength={200}
        placeholder={t('example')}
      />
      <Choice
        label={t('timeZone')}
        value={timeZone}
        placeholder={timeZone}
        options={ZONES}
        onChange={setTimeZone}
      />
    </NewDialog>
  );
}

function HoursPage({ hours }: { hours: BusinessHours }) {
  const t = useTranslations('settings.hours');
  const navigate = useNavigate();
  const { id, name, timeZone, days, holidays, isDefault } = hours;
  const change = async (body: Partial<Omit<BusinessHours, 'id' | 'workspaceId'>>) => {
    const record = await call('updateBusinessHours', { params: { id }, body });
    showRecord('listBusinessHours', record);
    // Another record may have been the default before.
    if (body.isDefault) await refresh(LISTS);
  };
  return (
    <Page backTo="business-hours" title={name}>
      <Group>
        <Fields>
          <SavedText
            label={t('name')}
            value={name}
            isRequired
            maxLength={200}
            save={(text) => change({ name: text })}
          />
          <SavedChoice
            label={t('timeZone')}
            value={timeZone}
            placeholder={timeZone}
            options={ZONES}
            save={(zone) => change({ timeZone: zone })}
          />
        </Fields>
        <SavedSwitch
          label={t('isDefault')}
          help={t('isDefaultHelp')}
          value={isDefault}
          save={(isOn) => change({ isDefault: isOn })}
        />
      </Group>
      <Group title={t('days')}>
        <Week days={days} save={(next) => change({ days: next })} />
      </Group>
      <Group title={t('holidays')} help={t('holidaysHelp')}>
        <Holidays holidays={holidays} save={(next) => change({ holidays: [...next] })} />
      </Group>
      <Danger
        title={t('delete')}
        help={t('deleteHelp')}
        name={name}
        onConfirm={async () => {
          await call('deleteBusinessHours', { params: { id } });
          await navigate({
            to: '/settings/{-$section}/{-$item}',
            params: { section: 'business-hours', item: undefined },
          });
          await refresh(['listBusinessHours', 'listQueues']);
          showToast({ kind: 'done', text: t('deleted', { name }) });
        }}
      />
    </Page>
  );
}
