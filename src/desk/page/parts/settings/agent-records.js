import { call, path, Refusal } from '../../api.js';

/** Lists of the record, by the field that writes them; their order has no meaning. */
const LISTS = {
  queueIds: 'queues',
  chatChannelIds: 'chatChannels',
  kbIds: 'kBs',
  requestTypeIds: 'requestTypes',
};
export const idsOf = (agent, field) => agent[LISTS[field]].map(({ id }) => id);

const isSame = (a, b) =>
  Array.isArray(a)
    ? a.length === b.length && a.every((each) => b.includes(each))
    : (a ?? null) === (b ?? null);

/**
 * Writes only the named fields of an agent, so that changes of other users stay. Resolves to the record as
 * the service then has it. @throws Refusal, also if the service ignored an unknown field
 */
export async function saveAgent({ id, name }, part) {
  const saved = await call('POST', path('agents'), { id, name, ...part });
  const isTaken = Object.entries(part).every(([key, value]) =>
    isSame(value, key in LISTS ? idsOf(saved, key) : saved[key]),
  );
  if (!isTaken) throw new Refusal(200, 'The service did not change this. Change it where the service runs.');
  return saved;
}

/** Why an enabled agent does not answer, in sentences (docs/agents.md, When an agent answers). */
export function whySilent(agent, queues) {
  const own = queues.filter(({ id }) => idsOf(agent, 'queueIds').includes(id));
  const reasons = [];
  if (own.length === 0 && agent.chatChannels.length === 0)
    reasons.push('it has no queue and no channel. Choose where it answers.');
  const off = own.filter(({ settings }) => settings && !settings.aiEnabled);
  if (own.length > 0 && off.length === own.length && agent.chatChannels.length === 0)
    reasons.push(
      `“Agents answer” is off in ${off.map(({ name }) => name).join(', ')}. Switch it on among the queue’s settings.`,
    );
  if (agent.respondOnMessage === 'no-messages' && !agent.respondOnMention)
    reasons.push('it answers neither messages nor mentions.');
  return reasons;
}
