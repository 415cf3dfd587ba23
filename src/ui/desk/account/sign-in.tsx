import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, MessageSquare } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { useTranslations } from 'use-intl';

import { request } from '../api/call.ts';
import { sessionQuery, useSignOut } from '../api/session.ts';
import { Brand } from '../kit/brand.tsx';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/field.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { PersonPicker } from '../kit/person-picker.tsx';
import { Failed, Loading } from '../kit/states.tsx';
import { account } from '../messages/account.ts';
import { useSaved } from '../kit/use-saved.ts';
import styles from './account.module.css';

interface Provider {
  id: string;
  name: string;
}

const REASONS = [
  'unknown',
  'unverified',
  'no-email',
  'deactivated',
  'expired',
  'failed',
  'limited',
  'ended',
] as const;

/** A path of this page to go to after signing in; anything else would lead out of the desk. */
const isPath = (value: unknown): value is string => typeof value === 'string' && /^\/(?!\/)/.test(value);

const TEXTS = { account };

/** Where people sign in as themselves; beside another service with an API key and a name. */
export const SignIn = withTexts(TEXTS, Card);

function Card() {
  const t = useTranslations('account');
  const navigate = useNavigate();
  const search: { reason?: string; returnTo?: string } = useSearch({ strict: false });
  const { data, error, refetch } = useQuery({ ...sessionQuery, staleTime: 0 });
  const returnTo = isPath(search.returnTo) ? search.returnTo : '/';
  const isIn = Boolean(data?.session && (data.signIn || data.session.userId !== undefined));
  // Who asks for help never sees the desk.
  const title = t(/^\/requests(\/|$)/.test(returnTo) ? 'signInRequests' : 'signInTitle');
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    if (!isIn) return;
    // Those are pages of their own.
    if (/^\/(requests|oauth)(\/|$)/.test(returnTo)) location.replace(returnTo);
    else void navigate({ href: returnTo, replace: true });
  }, [isIn, navigate, returnTo]);
  const reason = search.reason && (REASONS.find((each) => each === search.reason) ?? 'failed');
  return (
    <main className={styles['signIn']}>
      <div className={styles['card']}>
        <Brand />
        <h1>{data?.session ? t('who') : title}</h1>
        {reason && (
          <p className={styles['notice']} role="alert">
            {t(`reasons.${reason}`)}
          </p>
        )}
        {error && !data ? (
          <Failed error={error} onRetry={() => void refetch()} />
        ) : !data || isIn ? (
          <Loading rows={3} />
        ) : data.session ? (
          <Who />
        ) : data.signIn ? (
          <People returnTo={returnTo} />
        ) : (
          <Key />
        )}
      </div>
    </main>
  );
}

function People({ returnTo }: { returnTo: string }) {
  const t = useTranslations('account');
  const { data, error, refetch } = useQuery({
    queryKey: ['providers'],
    queryFn: async () => (await request('GET', '/auth/providers')) as Provider[],
  });
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={3} />;
  if (data.length === 0)
    return (
      <>
        <p>{t('byLink')}</p>
        <p className={styles['muted']}>{t('byLinkAdmin')}</p>
        <pre tabIndex={0}>deskbridge people sign-in-link you@example.com</pre>
      </>
    );
  return (
    <>
      {data.map(({ id, name }) => (
        <a
          key={id}
          className={styles['provider']}
          href={`/auth/start/${encodeURIComponent(id)}?returnTo=${encodeURIComponent(returnTo)}`}
        >
          {id === 'oidc' ? <KeyRound size={16} aria-hidden /> : <MessageSquare size={16} aria-hidden />}
          {t('continueWith', { name })}
        </a>
      ))}
      <p className={styles['muted']}>{t('noAccount')}</p>
    </>
  );
}

/** The key goes only to the desk's server; the page never stores it. */
function Key() {
  const t = useTranslations('account');
  const client = useQueryClient();
  const [key, setKey] = useState('');
  const { error, isSaving, save } = useSaved();
  return (
    <Form
      className={styles['form'] ?? ''}
      onSubmit={(event) => {
        event.preventDefault();
        void save(async () => {
          await request('POST', '/desk/session', { body: { key } });
          setKey('');
          await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
        });
      }}
    >
      <TextField
        label={t('key')}
        help={t('keyHelp')}
        type="password"
        autoComplete="off"
        value={key}
        onChange={setKey}
        error={error}
        autoFocus
        isRequired
      />
      <Button type="submit" kind="primary" isPending={isSaving}>
        {t('signIn')}
      </Button>
      <p className={styles['muted']}>{t('keyWarning')}</p>
    </Form>
  );
}

/** With an API key: the person who appears as author on the ticket and in chat. */
function Who() {
  const t = useTranslations('account');
  const client = useQueryClient();
  const signOut = useSignOut();
  const { error, isSaving, save } = useSaved();
  const choose = (userId: string | null) =>
    save(async () => {
      await request('PUT', '/desk/session', { body: { userId } });
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    });
  return (
    <>
      <p>{t('whoHelp')}</p>
      <div className={styles['choices']}>
        <PersonPicker label={t('yourName')} selected={[]} onChange={([id]) => id && void choose(id)} />
      </div>
      {error && (
        <p className={styles['notice']} role="alert">
          {error}
        </p>
      )}
      <Button isPending={isSaving} onPress={() => void choose(null)}>
        {t('asKey')}
      </Button>
      <Button kind="quiet" onPress={() => void signOut()}>
        {t('signOut')}
      </Button>
    </>
  );
}
