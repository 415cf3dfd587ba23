import { Check, Copy, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';

import { call } from '../api/call.ts';
import { useChoices } from '../api/query.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { TextField } from '../../kit/field.tsx';
import { showToast } from '../../kit/toast.tsx';
import { Time } from '../kit/time.tsx';
import { useToasted } from '../kit/use-saved.ts';
import styles from './access.module.css';
import { Choice } from './parts/fields.tsx';
import { MakerName, useMakers, useWhyStopped } from './parts/maker.tsx';
import { ConfirmByName, NewDialog, Page } from './parts/page.tsx';
import { QueuesField } from './parts/queues-field.tsx';
import { Badge, Records } from './parts/records.tsx';
import { refresh, useRecords, saveAndRefresh } from './parts/write.ts';
import type { SectionProps } from './section.ts';

const LISTS = ['listApiKeys'] as const;
const ROLES = ['agent', 'read', 'admin'] as const;

/** The keys of programs: created, shown once, and revoked. */
export function ApiKeysSettings(_: SectionProps) {
  const t = useTranslations('access.apiKeys');
  const sections = useTranslations('settings.sections');
  const made = useTranslations('access.made');
  const read = useRecords('listApiKeys', { includeStopped: true });
  const all = read.data?.items ?? [];
  const makerOf = useMakers(all);
  const whyStopped = useWhyStopped();
  const queueNames = new Map(useChoices('listQueues').map(({ id, name }) => [id, name]));
  const [isNew, setNew] = useState(false);
  const [newest, setNewest] = useState<{ name: string; key: string }>();
  const [revoked, setRevoked] = useState<{ id: string; name: string }>();
  return (
    <Page
      title={sections('api-keys')}
      intro={t('intro')}
      size="wide"
      action={
        <Button kind="primary" onPress={() => setNew(true)}>
          <Plus size={14} aria-hidden /> {t('new')}
        </Button>
      }
    >
      <Records
        label={sections('api-keys')}
        read={read}
        rows={all}
        empty={{ title: t('empty'), more: t('emptyMore') }}
        columns={[
          {
            id: 'name',
            title: t('name'),
            cell: (key) => (
              <>
                {key.name} {key.stoppedAt && <Badge>{made('sign')}</Badge>}
                {key.stoppedAt && <small className={styles['why']}>{whyStopped(makerOf(key))}</small>}
              </>
            ),
          },
          { id: 'prefix', title: t('prefix'), cell: ({ prefix }) => <code>{prefix}…</code> },
          { id: 'role', title: t('role'), cell: ({ role }) => t(`roles.${role}`) },
          {
            id: 'queues',
            title: t('queues'),
            cell: ({ queueIds }) =>
              queueIds?.map((id) => queueNames.get(id) ?? t('deletedQueue')).join(', ') ?? t('all'),
          },
          {
            id: 'made-by',
            title: made('by'),
            cell: (key) => <MakerName person={makerOf(key)} madeById={key.madeById} />,
          },
          { id: 'created', title: t('created'), cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            id: 'used',
            title: t('used'),
            cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : t('never')),
          },
        ]}
        actions={({ id, name, stoppedAt }) => (
          <>
            {stoppedAt && <TakeOver id={id} name={name} />}
            <Button
              size="small"
              kind="quiet"
              aria-label={t('revokeName', { name })}
              onPress={() => setRevoked({ id, name })}
            >
              {t('revoke')}
            </Button>
          </>
        )}
      />
      {isNew && <NewKey onMade={setNewest} onClose={() => setNew(false)} />}
      {newest && <MadeKey name={newest.name} secret={newest.key} onClose={() => setNewest(undefined)} />}
      {revoked && (
        <ConfirmByName
          title={t('revokeName', { name: revoked.name })}
          help={t('revokeHelp')}
          name={revoked.name}
          action={t('revoke')}
          onConfirm={async () => {
            await saveAndRefresh('revokeApiKey', { params: { id: revoked.id } }, LISTS);
            showToast({ kind: 'done', text: t('revoked', { name: revoked.name }) });
          }}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </Page>
  );
}

/** Lets a key work again that stopped with the person who made it. */
function TakeOver({ id, name }: { id: string; name: string }) {
  const t = useTranslations('access.made');
  const { isBusy, run } = useToasted();
  const takeOver = async () => {
    await saveAndRefresh('takeOverApiKey', { params: { id } }, LISTS);
    showToast({ kind: 'done', text: t('takenOver', { name }) });
  };
  return (
    <Button
      size="small"
      isPending={isBusy}
      aria-label={t('takeOverName', { name })}
      onPress={() => void run(takeOver)}
    >
      {t('takeOver')}
    </Button>
  );
}

function NewKey({
  onMade,
  onClose,
}: {
  onMade: (made: { name: string; key: string }) => void;
  onClose: () => void;
}) {
  const t = useTranslations('access.apiKeys');
  const [name, setName] = useState('');
  const [role, setRole] = useState<(typeof ROLES)[number]>('agent');
  const [chosen, setChosen] = useState<string[] | null>(null);
  const queueIds = role === 'admin' ? null : chosen;
  const create = async () => {
    const body = { name: name.trim(), role, ...(queueIds && { queueIds }) };
    const { key } = await call('createApiKey', { body });
    onMade({ name: body.name, key });
    // The key is shown whatever becomes of the list.
    void refresh(LISTS);
  };
  return (
    <NewDialog
      title={t('new')}
      action={t('create')}
      isReady={Boolean(name.trim()) && queueIds?.length !== 0}
      create={create}
      onClose={onClose}
    >
      <TextField
        label={t('name')}
        help={t('nameHelp')}
        value={name}
        onChange={setName}
        autoFocus
        maxLength={100}
        autoComplete="off"
      />
      <Choice
        label={t('role')}
        help={t('roleHelp')}
        value={role}
        options={ROLES.map((id) => ({ id, text: t(`roles.${id}`), detail: t(`does.${id}`) }))}
        onChange={(id) => setRole(ROLES.find((each) => each === id) ?? 'agent')}
      />
      {role === 'admin' ? (
        <p>{t('adminQueues')}</p>
      ) : (
        <QueuesField of="access.apiKeys" value={chosen} first={[]} onChange={setChosen} />
      )}
    </NewDialog>
  );
}

/** The only time that a key is shown. */
function MadeKey({ name, secret, onClose }: { name: string; secret: string; onClose: () => void }) {
  const t = useTranslations('access.apiKeys');
  const [isCopied, setCopied] = useState(false);
  const shown = useRef<HTMLElement>(null);
  const copy = async () => {
    // Over plain http from another machine a page may not write to the clipboard: the key is selected instead.
    if (window.isSecureContext) {
      await navigator.clipboard.writeText(secret);
      setCopied(true);
    } else if (shown.current) getSelection()?.selectAllChildren(shown.current);
  };
  return (
    <Dialog
      title={t('made', { name })}
      onClose={onClose}
      footer={
        <>
          <Button kind="primary" autoFocus onPress={() => void copy()}>
            {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
            {isCopied ? t('copied') : t('copy')}
          </Button>
          <Button onPress={onClose}>{t('done')}</Button>
        </>
      }
    >
      <p>{t('madeHelp')}</p>
      <code ref={shown} className={styles['key']}>
        {secret}
      </code>
      <span role="status" className="visually-hidden">
        {isCopied && t('copied')}
      </span>
    </Dialog>
  );
}
