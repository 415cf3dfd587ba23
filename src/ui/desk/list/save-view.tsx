import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { useTranslations } from 'use-intl';

import { call, Refusal } from '../api/call.ts';
import { queryClient } from '../api/query.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Switch, TextField } from '../kit/field.tsx';
import type { Current, View } from './views.ts';

const isSortBy = (value: string) => value as 'updatedAt';

/** Saves the list as it is now under a name, or gives a saved view another name. */
export function SaveView({
  current,
  renamed,
  suggested,
  onClose,
}: {
  current?: Current;
  renamed?: View;
  suggested: string;
  onClose: () => void;
}) {
  const t = useTranslations('list');
  const common = useTranslations('common');
  const navigate = useNavigate();
  const [name, setName] = useState(renamed ? suggested : '');
  const [isShared, setShared] = useState(renamed?.isShared ?? false);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    // Enter in the field submits also while the button waits.
    if (isBusy) return;
    setBusy(true);
    try {
      const { id } = renamed
        ? await call('updateView', { params: { id: renamed.id }, body: { name: name.trim(), isShared } })
        : await call('createView', {
            body: {
              name: name.trim(),
              isShared,
              filters: current?.filters ?? {},
              sortBy: isSortBy(current?.sortBy ?? 'updatedAt'),
              sortDirection: current?.sortDirection,
            },
          });
      await queryClient.invalidateQueries({ queryKey: ['listViews'] });
      onClose();
      if (!renamed) await navigate({ to: '/views/$view', params: { view: id }, search: {} as never });
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      setError(cause.message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={renamed ? t('renameView') : t('saveViewTitle')} onClose={onClose}>
      <Form
        style={{ display: 'grid', gap: 12 }}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label={t('viewName')}
          value={name}
          onChange={setName}
          autoFocus
          isRequired
          maxLength={60}
          error={error}
        />
        <Switch label={t('shared')} help={t('sharedHelp')} isSelected={isShared} onChange={setShared} />
        <Button type="submit" kind="primary" isPending={isBusy} isDisabled={!name.trim()}>
          {common('save')}
        </Button>
      </Form>
    </Dialog>
  );
}
