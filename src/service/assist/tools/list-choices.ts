import { z } from 'zod';

import { LIMITS } from '../../../contract/index.ts';
import { data, quote, quoteOrNull } from '../data.ts';
import { ASSIST_LIMITS } from '../limits.ts';
import { type Reading, readingTool } from '../tool.ts';
import { fullNameOf } from './people.ts';

type Kind = 'queues' | 'people' | 'tags' | 'statuses' | 'request types';
interface Choice {
  id: string;
  name: string;
  about?: string | null;
}
type Choices = (run: Reading, query: { search: string | undefined; limit: number }) => Promise<Choice[]>;

const CHOICES: Record<Kind, Choices> = {
  async queues({ read, caller }, query) {
    const { items } = await read('listQueues', { query });
    return items
      .filter(({ id }) => caller.reach?.queueIds.includes(id) ?? true)
      .map(({ id, name, prefix }) => ({ id, name, about: prefix }));
  },
  async people({ read }, query) {
    const { items } = await read('listUsers', { query });
    return items.map((user) => ({ id: user.id, name: fullNameOf(user), about: user.role }));
  },
  async tags({ read }, query) {
    const { items } = await read('listTags', { query });
    return items.map(({ id, name }) => ({ id, name }));
  },
  async statuses({ read }, query) {
    const { items } = await read('listStatuses', { query });
    return items.map(({ id, label, statusGroup }) => ({ id, name: label, about: statusGroup.label }));
  },
  async 'request types'({ read }, query) {
    const { items } = await read('listRequestTypes', { query: { ...query, type: 'request-type' } });
    return items.map(({ id, name, description }) => ({ id, name, about: description }));
  },
};

export const listChoices = readingTool({
  name: 'list_choices',
  title: 'List choices',
  description:
    'Lists queues, people, tags, statuses or request types with their ids, for the inputs of other tools that take an id.',
  input: z.object({
    kind: z.enum(Object.keys(CHOICES) as [Kind, ...Kind[]]),
    search: z.string().max(LIMITS.shortText).optional().describe('A part of the name.'),
  }),
  output: z.strictObject({
    choices: z.array(z.strictObject({ id: z.string(), name: data, about: data.nullable() })),
    more: z.boolean().describe('There are more: search for a part of the name.'),
  }),
  async answer(run, { kind, search }) {
    const found = await CHOICES[kind](run, { search, limit: ASSIST_LIMITS.choices + 1 });
    return {
      choices: found.slice(0, ASSIST_LIMITS.choices).map(({ id, name, about }) => ({
        id,
        name: quote(name, ASSIST_LIMITS.name),
        about: quoteOrNull(about, ASSIST_LIMITS.excerpt),
      })),
      more: found.length > ASSIST_LIMITS.choices,
    };
  },
});
