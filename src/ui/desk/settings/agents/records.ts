import { useTranslations } from 'use-intl';

import { call, Refusal } from '../../api/call.ts';
import type { BodyOf, ItemOf, Queue } from '../../api/types.ts';
import { showRecord } from '../parts/write.ts';

export type Agent = ItemOf<'listAgents'>;
export type AgentPart = Omit<NonNullable<BodyOf<'saveAgent'>>, 'id'>;

/** Lists of the record, by the field that writes them; their order has no meaning. */
const LISTS = {
  queueIds: 'queues',
  chatChannelIds: 'chatChannels',
  kbIds: 'kBs',
  requestTypeIds: 'requestTypes',
} as const;
export type ListField = keyof typeof LISTS;

export const idsOf = (agent: Agent, field: ListField): string[] => agent[LISTS[field]].map(({ id }) => id);

const isSame = (given: unknown, now: unknown) =>
  Array.isArray(given) && Array.isArray(now)
    ? given.length === now.length && given.every((each) => now.includes(each))
    : (given ?? null) === (now ?? null);

/**
 * Writes only the named fields of an AI agent, so that changes of others stay. Throws Refusal, also if the service
 * ignored a field that it does not know.
 */
export async function saveAgent({ id, name }: Agent, part: AgentPart, notTaken: string): Promise<void> {
  const saved = await call('saveAgent', { body: { id, name, ...part } });
  showRecord('listAgents', saved);
  const isTaken = Object.entries(part).every(([key, value]) =>
    isSame(value, key in LISTS ? idsOf(saved, key as ListField) : saved[key as keyof Agent]),
  );
  if (!isTaken) throw new Refusal(200, notTaken);
}

/** Why an enabled AI agent does not answer, in sentences (docs/agents.md, When an agent answers). */
export function useSilence(): (agent: Agent, queues: readonly Queue[]) => string[] {
  const t = useTranslations('ai.agents.silent');
  return (agent, queues) => {
    if (!agent.enabled) return [];
    const ids = idsOf(agent, 'queueIds');
    const own = queues.filter(({ id }) => ids.includes(id));
    const off = own.filter(({ settings }) => settings && !settings.aiEnabled);
    const hasChannel = agent.chatChannels.length > 0;
    return [
      ...(own.length === 0 && !hasChannel ? [t('nowhere')] : []),
      ...(own.length > 0 && off.length === own.length && !hasChannel
        ? [t('queuesOff', { names: off.map(({ name }) => name).join(', ') })]
        : []),
      ...(agent.respondOnMessage === 'no-messages' && !agent.respondOnMention ? [t('nothing')] : []),
    ];
  };
}
