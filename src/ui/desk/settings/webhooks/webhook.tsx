import { useNavigate } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useTranslations } from 'use-intl';

import { call, Refusal } from '../../api/call.ts';
import { useChoices, useOperation } from '../../api/query.ts';
import type { BodyOf, ItemOf, Person } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { Time } from '../../kit/time.tsx';
import { showToast } from '../../../kit/toast.tsx';
import { SavedSign, SavedSwitch, SavedText } from '../parts/fields.tsx';
import { Maker, useWhyStopped } from '../parts/maker.tsx';
import { Danger, Group, Page } from '../parts/page.tsx';
import { Badge, Records } from '../parts/records.tsx';
import { SavedSeveral } from '../parts/several-of.tsx';
import { useSaved, useToasted } from '../../kit/use-saved.ts';
import { refresh, showRecord, saveAndRefresh } from '../parts/write.ts';
import styles from '../access.module.css';

type Webhook = ItemOf<'listWebhooks'>;

/** The service's shortest secret. */
export const LEAST_SECRET = 24;
const TYPES = ['Ticket', 'Message'] as const;
const AT_ONCE = 20;

/** An address as a whole: the service shows the secret part of some as `…`. */
export const isAddress = (text: string) => /^https?:\/\/[^\s…]+$/i.test(text) && URL.canParse(text);

/** One webhook: where it sends which events, and its deliveries. */
export function WebhookPage({ webhook, maker }: { webhook: Webhook; maker: Person | undefined }) {
  const t = useTranslations('access.webhooks');
  const navigate = useNavigate();
  const made = useTranslations('access.made');
  const whyStopped = useWhyStopped();
  const takenOver = useSaved();
  const { id, name, url, active, eventTypes, queueIds, deactivatedReason } = webhook;
  const queueNames = new Map(useChoices('listQueues').map((queue) => [queue.id, queue.name]));
  const change = async (body: NonNullable<BodyOf<'updateWebhook'>>) =>
    showRecord('listWebhooks', await call('updateWebhook', { params: { id }, body }));
  const shown = name || t('unnamed');
  return (
    <Page
      backTo="webhooks"
      title={shown}
      intro={
        'madeById' in webhook && (
          <>
            {made('by')} <Maker person={maker} madeById={webhook.madeById} />
            {queueIds && (
              <span className={styles['why']}>
                {t('onlyQueues', {
                  queues: queueIds.map((queue) => queueNames.get(queue) ?? t('deletedQueue')).join(', '),
                })}
              </span>
            )}
          </>
        )
      }
    >
      {!active && deactivatedReason && (
        <div className={styles['notice']}>
          <p role="status">
            {deactivatedReason === 'person-left' ? whyStopped(maker) : t(`reasons.${deactivatedReason}`)}
          </p>
          {deactivatedReason === 'person-left' && (
            <Button
              isPending={takenOver.isSaving}
              onPress={() =>
                void takenOver.save(async () => {
                  await change({ active: true });
                  showToast({ kind: 'done', text: made('takenOver', { name: shown }) });
                })
              }
            >
              {made('takeOver')}
            </Button>
          )}
          <SavedSign of={takenOver} />
        </div>
      )}
      <Group>
        <SavedSwitch
          label={t('active')}
          help={t('activeHelp')}
          value={active}
          save={(isOn) => change({ active: isOn })}
        />
        <SavedText
          label={t('url')}
          help={t('urlHelp')}
          type="url"
          value={url}
          isRequired
          autoComplete="off"
          check={(text) => (isAddress(text) ? undefined : t('urlWrong'))}
          save={(text) => change({ url: text })}
        />
        <SavedText
          label={t('name')}
          value={name ?? ''}
          maxLength={100}
          autoComplete="off"
          save={(text) => change({ name: text || null })}
        />
        <SavedSeveral
          label={t('events')}
          add={t('addEvent')}
          options={TYPES.map((type) => ({ id: type, text: t(`types.${type}`) }))}
          value={eventTypes}
          save={async (ids) => {
            const chosen = TYPES.filter((type) => ids.includes(type));
            if (chosen.length === 0) throw new Refusal(422, t('oneEvent'));
            await change({ eventTypes: chosen });
          }}
        />
        <SavedText
          label={t('newSecret')}
          help={t('secretHelp')}
          type="password"
          value=""
          autoComplete="new-password"
          check={(text) =>
            text.length < LEAST_SECRET ? t('secretShort', { count: LEAST_SECRET }) : undefined
          }
          save={(secret) => change({ secret })}
        />
      </Group>
      <Deliveries id={id} />
      <Danger
        title={t('remove')}
        help={t('removeHelp')}
        name={shown}
        onConfirm={async () => {
          await call('deleteWebhook', { params: { id } });
          await navigate({
            to: '/settings/{-$section}/{-$item}',
            params: { section: 'webhooks', item: undefined },
          });
          await refresh(['listWebhooks']);
          showToast({ kind: 'done', text: t('removed', { name: shown }) });
        }}
      />
    </Page>
  );
}

function Deliveries({ id }: { id: string }) {
  const t = useTranslations('access.webhooks');
  const { isBusy, run } = useToasted();
  const read = useOperation('listDeliveries', {
    params: { id },
    query: { sortDirection: 'desc', limit: AT_ONCE },
  });
  const act = async (work: () => Promise<unknown>, text: string) => {
    if (await run(work)) showToast({ kind: 'done', text });
  };
  return (
    <Group title={t('deliveries')} help={t('deliveriesHelp')}>
      <div className={styles['row']}>
        <Button
          isPending={isBusy}
          onPress={() =>
            void act(() => saveAndRefresh('pingWebhook', { params: { id } }, ['listDeliveries']), t('pinged'))
          }
        >
          <Send size={14} aria-hidden /> {t('ping')}
        </Button>
        <Button isPending={read.isFetching} onPress={() => void read.refetch()}>
          {t('reload')}
        </Button>
      </div>
      <Records
        label={t('deliveries')}
        read={read}
        rows={read.data?.items ?? []}
        empty={{ title: t('noDeliveries') }}
        columns={[
          {
            id: 'event',
            title: t('event'),
            cell: ({ eventType, action }) => `${eventType} ${action}`,
          },
          {
            id: 'state',
            title: t('state'),
            cell: ({ state, attempts }) => {
              const last = attempts.at(-1);
              return (
                <>
                  <Badge>{t(`states.${state}`)}</Badge> {last?.status ?? last?.error ?? ''}
                </>
              );
            },
          },
          { id: 'at', title: t('sent'), cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
        actions={({ id: deliveryId, eventType, action }) => (
          <Button
            size="small"
            kind="quiet"
            isDisabled={isBusy}
            aria-label={t('againName', { name: `${eventType} ${action}` })}
            onPress={() =>
              void act(
                () => saveAndRefresh('redeliver', { params: { id, deliveryId } }, ['listDeliveries']),
                t('sentAgain'),
              )
            }
          >
            {t('again')}
          </Button>
        )}
      />
    </Group>
  );
}
