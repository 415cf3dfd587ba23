import { KeyRound, Webhook } from 'lucide-react';
import { useFormatter, useNow, useTranslations } from 'use-intl';

import { Refusal } from '../../api/call.ts';
import { nameOf } from '../../api/people.ts';
import { useOperation } from '../../api/query.ts';
import { useSession } from '../../api/session.ts';
import type { Person } from '../../api/types.ts';
import { Avatar } from '../../kit/avatar.tsx';
import { Failed, Loading } from '../../kit/states.tsx';
import { Choice } from '../parts/fields.tsx';
import { RadioChoices } from '../parts/radio-choices.tsx';
import styles from './people.module.css';

/** An API key that works or a webhook that is on, which somebody made. */
interface Item {
  id: string;
  kind: 'key' | 'webhook';
  name: string;
  /** The beginning of a key, the address of a webhook. */
  detail: string;
  lastUsedAt?: string | null;
}

/** The active keys and webhooks that a user created. */
export interface Made {
  /** Undefined while it is not known. */
  items: readonly Item[] | undefined;
  error: Error | null;
  /** Reads it again. */
  refetch: () => Promise<unknown>;
}

/** The keys and webhooks that stop with a user; empty if the service does not record creators. */
export function useMade(person: Person, isEnabled: boolean): Made {
  const t = useTranslations('access.webhooks');
  const query = { madeById: person.id, limit: 1_000 } as const;
  const keys = useOperation('listApiKeys', { query }, { enabled: isEnabled });
  const webhooks = useOperation('listWebhooks', { query }, { enabled: isEnabled });
  const isAbsent = (error: Error | null) => error instanceof Refusal && error.isAbsent;
  const refetch = () => Promise.all([keys.refetch(), webhooks.refetch()]);
  const error = [keys.error, webhooks.error].find((each) => each && !isAbsent(each)) ?? null;
  const isKnown = [keys, webhooks].every((read) => read.data || isAbsent(read.error));
  if (!isKnown) return { items: isEnabled ? undefined : [], error, refetch };
  // A service that does not know the filter lists everybody's.
  const isTheirs = ({ madeById }: { madeById: string | null }) => madeById === person.id;
  const items: Item[] = [
    ...(keys.data?.items ?? []).filter(isTheirs).map(({ id, name, prefix, lastUsedAt }) => ({
      id,
      kind: 'key' as const,
      name,
      detail: `${prefix}…`,
      lastUsedAt,
    })),
    ...(webhooks.data?.items ?? [])
      .filter((webhook) => isTheirs(webhook) && webhook.active)
      .map(({ id, name, url }) => ({
        id,
        kind: 'webhook' as const,
        name: name || t('unnamed'),
        detail: url,
      })),
  ];
  return { items, error, refetch };
}

/** The fate of a user's keys and webhooks: they stop, or an admin takes them over; undefined if not chosen yet. */
export type Fate = { kind: 'stop' } | { kind: 'hand-over'; to: string | undefined } | undefined;

/** Returns whether the fate of a user's keys and webhooks is decided. */
export const isDecided = ({ items }: Made, fate: Fate): boolean =>
  items !== undefined &&
  (items.length === 0 || fate?.kind === 'stop' || (fate?.kind === 'hand-over' && fate.to !== undefined));

/** The heir that the change of a person names. */
export const heirOf = (fate: Fate): { handOverTo?: string } =>
  fate?.kind === 'hand-over' && fate.to !== undefined ? { handOverTo: fate.to } : {};

/** Lists what a person made, and asks what shall become of it. Nothing is shown for who made nothing. */
export function MadeByThem({
  person,
  made,
  admins,
  fate,
  onChange,
}: {
  person: Person;
  made: Made;
  /** The active admins. */
  admins: readonly Person[];
  fate: Fate;
  onChange: (fate: Fate) => void;
}) {
  const t = useTranslations('access.made');
  const format = useFormatter();
  const now = useNow();
  const session = useSession();
  const { items, error } = made;
  if (!items && error) return <Failed error={error} onRetry={() => void made.refetch()} />;
  if (!items) return <Loading rows={2} />;
  if (items.length === 0) return null;
  const heirs = admins.filter(({ id }) => id !== person.id);
  const self = heirs.find(({ id }) => id === session?.userId);
  return (
    <div className={styles['made']}>
      <h3 id="made-by-them" className={styles['legend']}>
        {t('title', { name: nameOf(person) })}
      </h3>
      {/* Long lists scroll, so that the question below stays in view. */}
      <ul className={styles['madeList']} aria-labelledby="made-by-them" tabIndex={0}>
        {items.map(({ id, kind, name, detail, lastUsedAt }) => (
          <li key={id}>
            {kind === 'key' ? <KeyRound size={14} aria-hidden /> : <Webhook size={14} aria-hidden />}
            <span>
              <strong>{name}</strong>
              <small>
                {t(kind, { detail })}
                {lastUsedAt && ` · ${t('used', { time: format.relativeTime(new Date(lastUsedAt), now) })}`}
              </small>
            </span>
          </li>
        ))}
      </ul>
      <RadioChoices
        label={t('question')}
        value={fate?.kind ?? null}
        options={[
          { id: 'stop', text: t('stop'), help: t('stopHelp') },
          { id: 'hand-over', text: t('handOver'), help: t('handOverHelp') },
        ]}
        onChange={(kind) =>
          onChange(kind === 'stop' ? { kind: 'stop' } : { kind: 'hand-over', to: self?.id ?? heirs[0]?.id })
        }
      />
      {fate?.kind === 'hand-over' && (
        <Choice
          label={t('heir')}
          value={fate.to ?? ''}
          options={heirs.map((heir) => ({
            id: heir.id,
            text: heir.id === self?.id ? t('you', { name: nameOf(heir) }) : nameOf(heir),
            sign: <Avatar person={heir} />,
          }))}
          onChange={(to) => onChange({ kind: 'hand-over', to: to || undefined })}
        />
      )}
    </div>
  );
}
