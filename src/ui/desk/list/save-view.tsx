import { useNavigate, useParams } from '@tanstack/react-router';
import { type ComponentProps, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { useTranslations } from 'use-intl';

import { call } from '../api/call.ts';
import { queryClient } from '../api/query.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Switch, TextField } from '../../kit/field.tsx';
import { MoreTexts } from '../kit/more-texts.tsx';
import { useSaved } from '../kit/use-saved.ts';
import { listParts } from '../messages/list-parts.ts';
import { copyDisplay } from './display-changes.ts';
import type { Grouping } from './display.ts';
import { shownContent } from './saved-views.ts';
import { type Current, useMe, type View } from './views.ts';

const TEXTS = { listParts };

/** Saves the list as it is now as a view, or edits the name of one and who sees it. */
export function SaveView(props: ComponentProps<typeof Fields>) {
  return (
    <MoreTexts texts={TEXTS}>
      <Fields {...props} />
    </MoreTexts>
  );
}

function Fields({
  current,
  groupBy,
  edited,
  onClose,
}: {
  current?: Current;
  groupBy?: Grouping | undefined;
  edited?: View;
  onClose: () => void;
}) {
  const t = useTranslations('listParts.views');
  const common = useTranslations('common');
  const navigate = useNavigate();
  const me = useMe();
  const { code }: { code?: string } = useParams({ strict: false });
  const [name, setName] = useState(edited?.name ?? '');
  const [isShared, setShared] = useState(edited?.isShared ?? false);
  const saved = useSaved();
  const create = async () => {
    if (!current) return;
    const body = { name: name.trim(), isShared, ...shownContent(current, groupBy) };
    const { id } = await call('createView', { body });
    copyDisplay(me, current.view.id, id);
    await queryClient.invalidateQueries({ queryKey: ['listViews'] });
    onClose();
    // A ticket that is open stays open, beside the new view.
    await (code
      ? navigate({ to: '/tickets/$code', params: { code }, search: { view: id } as never })
      : navigate({ to: '/views/$view', params: { view: id }, search: {} as never }));
  };
  const edit = async ({ id }: View) => {
    await call('updateView', { params: { id }, body: { name: name.trim(), isShared } });
    await queryClient.invalidateQueries({ queryKey: ['listViews'] });
    onClose();
  };
  const save = async () => {
    // Enter in the field submits also while the button waits.
    if (!saved.isSaving) await saved.save(() => (edited ? edit(edited) : create()));
  };
  // What another person shares cannot become personal.
  const mayShare = !edited?.isShared || edited.ownerId === me;
  return (
    <Dialog title={t(edited ? 'editTitle' : 'title')} onClose={onClose}>
      <Form
        style={{ display: 'grid', gap: 12 }}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label={t('name')}
          value={name}
          onChange={setName}
          autoFocus
          isRequired
          maxLength={60}
          error={saved.error}
        />
        {mayShare && (
          <Switch label={t('shared')} help={t('sharedHelp')} isSelected={isShared} onChange={setShared} />
        )}
        <Button type="submit" kind="primary" isPending={saved.isSaving} isDisabled={!name.trim()}>
          {common('save')}
        </Button>
      </Form>
    </Dialog>
  );
}
