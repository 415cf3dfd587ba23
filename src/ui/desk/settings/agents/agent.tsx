import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';

import { call } from '../../api/call.ts';
import { useChoices } from '../../api/query.ts';
import type { Option } from '../../../kit/picker.tsx';
import { showToast } from '../../../kit/toast.tsx';
import styles from '../access.module.css';
import { SavedChoice, SavedSwitch, SavedText } from '../parts/fields.tsx';
import { Danger, Group, Page, PageTabs } from '../parts/page.tsx';
import { SavedSeveral } from '../parts/several-of.tsx';
import { ifAble, refresh, useLacks } from '../parts/write.ts';
import { useWorkspaces } from '../parts/workspaces.tsx';
import { personalityName } from '../personality-name.ts';
import { type Agent, type AgentPart, idsOf, type ListField, saveAgent, useSilence } from './records.ts';

const ANSWERS = ['respondOnMention', 'onlyRespondToRequests', 'availableInDM'] as const;
const HANDS_OVER = ['autoEscalate', 'negativeFeedbackAutoCreate'] as const;
const SORTS = ['autoClassify', 'autoTag'] as const;
type Switched = (typeof ANSWERS)[number] | (typeof HANDS_OVER)[number] | (typeof SORTS)[number];
const MESSAGES = ['all-messages', 'channel-messages', 'no-messages'] as const;

/** One AI agent: what it answers, from which sources, where and how. */
export function AgentPage({ agent }: { agent: Agent }) {
  const t = useTranslations('ai.agents');
  const queues = useChoices('listQueues');
  const silence = useSilence();
  const { name, enabled } = agent;
  const change = (part: AgentPart) => saveAgent(agent, part, t('notTaken'));
  const reasons = silence(agent, queues);
  const switches = (keys: readonly Switched[]) =>
    keys.map((key) => (
      <SavedSwitch
        key={key}
        label={t(`switches.${key}.label`)}
        help={t(`switches.${key}.help`)}
        value={agent[key]}
        save={(isOn) => change({ [key]: isOn })}
      />
    ));
  return (
    <Page backTo="agents" title={name}>
      <SavedSwitch
        label={t('enabled')}
        help={t('enabledHelp', { name })}
        value={enabled}
        save={(isOn) => change({ enabled: isOn })}
      />
      {reasons.length > 0 && (
        <div className={styles['notice']} role="status">
          <p>{t('answersNothing')}</p>
          <ul>
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </div>
      )}
      <PageTabs
        label={name}
        tabs={[
          {
            id: 'general',
            title: t('tabs.general'),
            content: (
              <>
                <Who agent={agent} change={change} />
                <Remove agent={agent} />
              </>
            ),
          },
          {
            id: 'answers',
            title: t('tabs.answers'),
            content: (
              <>
                <Group title={t('answers')}>
                  <SavedChoice
                    label={t('messages')}
                    value={agent.respondOnMessage}
                    placeholder={agent.respondOnMessage}
                    options={MESSAGES.map((id) => ({ id, text: t(`answered.${id}`) }))}
                    save={(id) => change({ respondOnMessage: MESSAGES.find((each) => each === id) })}
                  />
                  {switches(ANSWERS)}
                </Group>
                <Group title={t('withoutAnswer')}>{switches(HANDS_OVER)}</Group>
              </>
            ),
          },
          {
            id: 'places',
            title: t('tabs.places'),
            content: <Places agent={agent} change={change} />,
          },
          {
            id: 'sorting',
            title: t('tabs.sorting'),
            content: <Sorting agent={agent} change={change} switches={switches(SORTS)} />,
          },
        ]}
      />
    </Page>
  );
}

interface Changing {
  agent: Agent;
  change: (part: AgentPart) => Promise<void>;
}

/** Records of the agent's workspace, if the service says which one that is. */
const isOf =
  (agent: Agent) =>
  ({ workspaceId }: { workspaceId?: string | null }) =>
    !workspaceId || workspaceId === agent.workspaceId;

function Who({ agent, change }: Changing) {
  const t = useTranslations('ai.agents');
  const personalities = useChoices('listPersonalities').filter(isOf(agent));
  const { name, description, imageUrl, personalityId } = agent;
  return (
    <Group>
      <SavedText
        label={t('name')}
        value={name}
        isRequired
        maxLength={200}
        autoComplete="off"
        save={(text) => change({ name: text })}
      />
      <SavedText
        label={t('description')}
        help={t('descriptionHelp')}
        value={description ?? ''}
        rows={3}
        save={(text) => change({ description: text || null })}
      />
      <SavedText
        label={t('picture')}
        help={t('pictureHelp')}
        type="url"
        value={imageUrl ?? ''}
        autoComplete="off"
        check={(text) => (!text || /^https:\/\/\S+$/.test(text) ? undefined : t('pictureWrong'))}
        save={(text) => change({ imageUrl: text || null })}
      />
      <SavedChoice
        label={t('personality')}
        help={t('personalityHelp')}
        value={personalityId ?? ''}
        options={[
          { id: '', text: t('noPersonality') },
          ...personalities.map((each) => ({ id: each.id, text: personalityName(each, t('undescribed')) })),
        ]}
        save={(id) => change({ personalityId: id || null })}
      />
    </Group>
  );
}

/** Records that the agent is linked to, of those there are. */
function Linked({
  agent,
  change,
  field,
  label,
  help,
  options,
}: Changing & { field: ListField; label: string; help?: string; options: readonly Option[] }) {
  const t = useTranslations('ai.agents');
  const linked = idsOf(agent, field);
  if (options.length === 0 && linked.length === 0)
    return <p className={styles['muted']}>{t('noneToChoose', { label })}</p>;
  return (
    <SavedSeveral
      label={label}
      {...(help && { help })}
      add={t(`addTo.${field}`)}
      options={options}
      value={linked}
      save={(ids) => change({ [field]: ids })}
    />
  );
}

function Places({ agent, change }: Changing) {
  const t = useTranslations('ai.agents');
  const queues = useChoices('listQueues').filter(isOf(agent));
  const bases = useChoices('listKnowledgeBases').filter(isOf(agent));
  const channels = useWorkspaces()
    .filter(({ id }) => id === agent.workspaceId)
    .flatMap(({ chatTriageChannels }) => chatTriageChannels)
    .filter(({ deletedAt }) => !deletedAt);
  return (
    <>
      <Group title={t('places')} help={t('placesHelp')}>
        <Linked
          agent={agent}
          change={change}
          field="queueIds"
          label={t('queues')}
          options={queues.map(({ id, name, settings }) => ({
            id,
            text: name,
            ...(settings && !settings.aiEnabled && { detail: t('queueOff') }),
          }))}
        />
        <Linked
          agent={agent}
          change={change}
          field="chatChannelIds"
          label={t('channels')}
          options={channels.map(({ id, channelName, channelId }) => ({
            id,
            text: `#${channelName ?? channelId ?? ''}`,
          }))}
        />
      </Group>
      <Group title={t('knowledge')} help={t('knowledgeHelp')}>
        <Linked
          agent={agent}
          change={change}
          field="kbIds"
          label={t('knowledgeBases')}
          options={bases.map(({ id, name }) => ({ id, text: name }))}
        />
        <Link to="/settings/{-$section}/{-$item}" params={{ section: 'knowledge', item: undefined }}>
          {t('changeKnowledge')}
        </Link>
      </Group>
    </>
  );
}

function Sorting({ agent, change, switches }: Changing & { switches: React.ReactNode }) {
  const t = useTranslations('ai.agents');
  const all = useChoices('listRequestTypes');
  const forms = useChoices('listForms');
  // Without that list, at least the published request types are known.
  const types = (all.length > 0 ? all : forms).filter(
    (type) => type.type !== 'collection' && isOf(agent)(type),
  );
  return (
    <Group title={t('sorting')}>
      {switches}
      <Linked
        agent={agent}
        change={change}
        field="requestTypeIds"
        label={t('requestTypes')}
        help={t('requestTypesHelp')}
        options={types.map(({ id, name, emoji }) => ({ id, text: name, ...(emoji && { sign: emoji }) }))}
      />
    </Group>
  );
}

function Remove({ agent: { id, name } }: { agent: Agent }) {
  const t = useTranslations('ai.agents');
  const navigate = useNavigate();
  if (useLacks('deleteAgent')) return null;
  return (
    <Danger
      title={t('remove')}
      help={t('removeHelp')}
      name={name}
      onConfirm={async () => {
        await ifAble('deleteAgent', t('cannotRemove'), () => call('deleteAgent', { params: { id } }));
        await navigate({
          to: '/settings/{-$section}/{-$item}',
          params: { section: 'agents', item: undefined },
        });
        await refresh(['listAgents']);
        showToast({ kind: 'done', text: t('removed', { name }) });
      }}
    />
  );
}
