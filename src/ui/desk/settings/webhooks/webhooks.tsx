import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { Time } from '../../kit/time.tsx';
import { MakerName, useMakers } from '../parts/maker.tsx';
import { NewDialog, Page } from '../parts/page.tsx';
import { Badge, Records } from '../parts/records.tsx';
import { useRecords, saveAndRefresh } from '../parts/write.ts';
import type { SectionProps } from '../section.ts';
import { isAddress, LEAST_SECRET, WebhookPage } from './webhook.tsx';

export function WebhooksSettings({ item }: SectionProps) {
  const t = useTranslations('access.webhooks');
  const made = useTranslations('access.made');
  const sections = useTranslations('settings.sections');
  const read = useRecords('listWebhooks');
  const [isNew, setNew] = useState(false);
  const all = read.data?.items ?? [];
  const makerOf = useMakers(all);
  const open = all.find(({ id }) => id === item);
  if (open) return <WebhookPage key={open.id} webhook={open} maker={makerOf(open)} />;
  return (
    <Page
      title={sections('webhooks')}
      intro={item && read.data ? t('gone') : t('intro')}
      size="wide"
      action={
        <Button kind="primary" onPress={() => setNew(true)}>
          <Plus size={14} aria-hidden /> {t('new')}
        </Button>
      }
    >
      <Records
        label={sections('webhooks')}
        read={read}
        rows={all}
        section="webhooks"
        empty={{ title: t('empty'), more: t('emptyMore') }}
        columns={[
          {
            id: 'name',
            title: t('name'),
            cell: ({ name, active, deactivatedReason }) => (
              <>
                {name || t('unnamed')}{' '}
                {!active && <Badge>{deactivatedReason ? made('sign') : t('off')}</Badge>}
              </>
            ),
          },
          { id: 'url', title: t('url'), cell: ({ url }) => url },
          {
            id: 'events',
            title: t('events'),
            cell: ({ eventTypes }) => eventTypes.map((type) => t(`types.${type}`)).join(', '),
          },
          {
            id: 'made-by',
            title: made('by'),
            cell: (webhook) => <MakerName person={makerOf(webhook)} madeById={webhook.madeById} />,
          },
          {
            id: 'created',
            title: t('created'),
            isRight: true,
            cell: ({ createdAt }) => <Time at={createdAt} isShort />,
          },
        ]}
      />
      {isNew && <NewWebhook onClose={() => setNew(false)} />}
    </Page>
  );
}

function NewWebhook({ onClose }: { onClose: () => void }) {
  const t = useTranslations('access.webhooks');
  const navigate = useNavigate();
  const [url, setUrl] = useState('');
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const isShort = secret !== '' && secret.length < LEAST_SECRET;
  const create = async () => {
    const body = { url: url.trim(), name: name.trim() || null, secret: secret || null };
    const { id } = await saveAndRefresh('createWebhook', { body }, ['listWebhooks']);
    void navigate({ to: '/settings/{-$section}/{-$item}', params: { section: 'webhooks', item: id } });
  };
  return (
    <NewDialog
      title={t('new')}
      action={t('create')}
      isReady={isAddress(url.trim()) && !isShort}
      create={create}
      onClose={onClose}
    >
      <TextField
        label={t('url')}
        help={t('urlHelp')}
        type="url"
        placeholder="https://"
        value={url}
        onChange={setUrl}
        autoFocus
        autoComplete="off"
      />
      <TextField label={t('name')} value={name} onChange={setName} maxLength={100} autoComplete="off" />
      <TextField
        label={t('secret')}
        help={t('secretHelp')}
        type="password"
        value={secret}
        onChange={setSecret}
        autoComplete="new-password"
        error={isShort ? t('secretShort', { count: LEAST_SECRET }) : undefined}
      />
    </NewDialog>
  );
}
