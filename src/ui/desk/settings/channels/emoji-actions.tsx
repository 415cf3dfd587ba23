import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { useChoices } from '../../api/query.ts';
import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { Choice, SavedSign } from '../parts/fields.tsx';
import { Group, NewDialog } from '../parts/page.tsx';
import { useSavedValue } from '../../kit/use-saved.ts';
import type { Workspace } from '../parts/workspaces.tsx';
import type { ChangeWorkspace } from './change-workspace.ts';
import styles from './channels.module.css';

const NAME = /^:?[a-zA-Z0-9_+'-]+:?$/;
const PLAIN = ['create', 'create-private', 'assign-me'] as const;
const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW', 'NO_PRIORITY'] as const;

interface Action {
  action: 'create' | 'create-private' | 'status' | 'priority' | 'assign-me';
  value?: string;
}

/** The actions that can be chosen; `id` is `status ID`, `priority HIGH` or the action alone. */
function useActions(workspaceId: string) {
  const t = useTranslations('channels.emoji');
  const names = useTranslations('common.priority');
  const statuses = useChoices('listStatuses').filter(
    ({ statusGroup }) => statusGroup.workspaceId === workspaceId,
  );
  const options = [
    ...PLAIN.map((id) => ({ id: id, text: t(id) })),
    ...PRIORITIES.map((priority) => ({
      id: `priority ${priority}`,
      text: t('priority', { priority: names(priority) }),
    })),
    // By its id, which stays the same when the status is renamed.
    ...statuses.map(({ id, label }) => ({ id: `status ${id}`, text: t('status', { status: label }) })),
  ];
  const textOf = ({ action, value }: Action) => {
    // One that was written through the API may name a status by its label.
    const status = action === 'status' && statuses.find(({ id, label }) => value === id || value === label);
    const id = [action, status ? status.id : value].filter(Boolean).join(' ');
    return options.find((option) => option.id === id)?.text ?? t('unknown', { action: id });
  };
  return { options, textOf };
}

/** The actions of emoji on messages, apart from 🎫 and 🤫, which always open tickets. */
export function EmojiActions({ workspace, change }: { workspace: Workspace; change: ChangeWorkspace }) {
  const t = useTranslations('channels.emoji');
  const common = useTranslations('common');
  const [isNew, setNew] = useState(false);
  const { options, textOf } = useActions(workspace.id);
  const { shown, saved, choose } = useSavedValue(
    (workspace.chatEmojiActions ?? {}) as Record<string, Action>,
    (actions) => change({ chatEmojiActions: actions }),
  );
  const remove = (name: string) => {
    const { [name]: _gone, ...rest } = shown;
    return choose(rest);
  };
  return (
    <Group title={t('title')} help={t('help')}>
      {Object.keys(shown).length === 0 ? (
        <p className={styles['more']}>{t('empty')}</p>
      ) : (
        <ul className={styles['emoji']} aria-label={t('title')}>
          {Object.entries(shown).map(([name, action]) => (
            <li key={name}>
              <code>:{name}:</code>
              <span>{textOf(action)}</span>
              <Button
                size="small"
                kind="quiet"
                aria-label={t('remove', { name })}
                onPress={() => void remove(name)}
              >
                {common('remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className={styles['add']}>
        <Button onPress={() => setNew(true)}>
          <Plus size={14} aria-hidden /> {t('add')}
        </Button>
        <SavedSign of={saved} />
      </div>
      {isNew && (
        <NewEmoji
          options={options}
          create={(name, action) => change({ chatEmojiActions: { ...shown, [name]: action } })}
          onClose={() => setNew(false)}
        />
      )}
    </Group>
  );
}

function NewEmoji({
  options,
  create,
  onClose,
}: {
  options: readonly { id: string; text: string }[];
  create: (name: string, action: Action) => Promise<unknown>;
  onClose: () => void;
}) {
  const t = useTranslations('channels.emoji');
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState('create');
  const isName = NAME.test(name.trim());
  const [action, value] = chosen.split(' ') as [Action['action'], string?];
  return (
    <NewDialog
      title={t('add')}
      action={t('add')}
      isReady={isName}
      create={() =>
        create(name.trim().replaceAll(':', '').toLowerCase(), {
          action,
          ...(value !== undefined && { value }),
        })
      }
      onClose={onClose}
    >
      <TextField
        label={t('name')}
        help={t('nameHelp')}
        value={name}
        onChange={setName}
        autoFocus
        autoComplete="off"
        maxLength={100}
        error={name.trim() && !isName ? t('nameWrong') : undefined}
      />
      <Choice label={t('action')} value={chosen} options={options} onChange={setChosen} />
    </NewDialog>
  );
}
