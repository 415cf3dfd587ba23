import { useTranslations } from 'use-intl';

import { call, Refusal } from '../../api/call.ts';
import { SavedSwitch } from '../parts/fields.tsx';
import { Group } from '../parts/page.tsx';
import { showRecord } from '../parts/write.ts';
import type { Workspace } from '../parts/workspaces.tsx';

const SWITCHES = ['mcpRead', 'mcpWrite', 'mcpSend'] as const;

/** The switches for AI tools in a workspace; hidden if the service does not have them. */
export function ToolSwitches({ workspace: { id, settings } }: { workspace: Workspace }) {
  const t = useTranslations('ai.tools');
  if (!settings) return null;
  const save = async (key: (typeof SWITCHES)[number], isOn: boolean) => {
    const record = await call('updateWorkspace', { params: { id }, body: { settings: { [key]: isOn } } });
    showRecord('listWorkspaces', record);
    // A service ignores settings that it does not know.
    if (record.settings?.[key] !== isOn) throw new Refusal(200, t('notTaken'));
  };
  return (
    <Group title={t('title')}>
      {SWITCHES.map((key) => (
        <SavedSwitch
          key={key}
          label={t(`switches.${key}.label`)}
          help={t(`switches.${key}.help`)}
          value={settings[key]}
          save={(isOn) => save(key, isOn)}
        />
      ))}
    </Group>
  );
}
