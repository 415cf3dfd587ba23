import type { Readable } from 'node:stream';

import { expect, it } from 'vitest';

import { routes } from '../../src/contract/index.ts';
import { jsonAnswer } from '../../src/service/http/json-answer.ts';
import { longestBlockMs } from '../harness/event-loop.ts';
import { isTooSlow } from '../harness/machine.ts';

const schema = routes.listTicketMessages.answer;

const message = (id: string, more: object = {}) => ({
  id,
  content: 'word '.repeat(400),
  ticketId: 'tkt_1',
  authorId: null,
  author: null,
  source: null,
  status: null,
  chatChannelId: null,
  chatMessages: [],
  deleted: false,
  reactions: [],
  private: false,
  emailMessageId: null,
  emailInReplyTo: null,
  deletedAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...more,
});

const listOf = (count: number) => ({
  items: Array.from({ length: count }, (_, number) => message(`msg_${number}`)),
  totalCount: count,
  nextCursor: null,
});

async function textOf(answer: string | Readable): Promise<string> {
  if (typeof answer === 'string') return answer;
  let text = '';
  for await (const part of answer) text += String(part);
  return text;
}

it.each([0, 1, 100, 101, 350])(
  'a list of %i is written completely, in order, and nothing else',
  async (count) => {
    const list = listOf(count);
    expect(JSON.parse(await textOf(jsonAnswer(schema, list)))).toEqual(list);
  },
);

it('a list of 10,000 never blocks the event loop for 50 ms', async () => {
  const list = listOf(10_000);
  const longest = await longestBlockMs(async () => {
    let length = 0;
    for await (const part of jsonAnswer(schema, list) as Readable) length += String(part).length;
    expect(length).toBeGreaterThan(20_000_000);
  });
  expect([longest, isTooSlow(longest, 50)]).toEqual([longest, false]);
});

it('a record with an unexpected field ends the response before it is written', async () => {
  const list = listOf(300);
  list.items[250] = message('msg_250', { secretColumn: 'planted' });
  let text = '';
  const reading = (async () => {
    for await (const part of jsonAnswer(schema, list) as Readable) text += String(part);
  })();
  await expect(reading).rejects.toThrow('secretColumn');
  expect(text).toContain('msg_199');
  expect(text).not.toContain('planted');
});
