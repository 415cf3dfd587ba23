import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { routes } from '../../src/contract/index.ts';
import { webhookEvent } from '../../src/contract/events.ts';
import { queueSettings } from '../../src/contract/queue.ts';
import { statusList } from '../../src/contract/status.ts';
import { type TicketDetail, ticketDetail, ticketList } from '../../src/contract/ticket.ts';
import { type Tolerant, tolerant } from '../../src/contract/tolerant.ts';
import { userList } from '../../src/contract/user.ts';
import { valueOf } from './arbitrary.ts';

const answers = new Map<string, z.ZodType>([['webhookEvent', webhookEvent]]);
for (const [name, route] of Object.entries(routes)) {
  answers.set(name, route.answer);
  if ('thin' in route) answers.set(`${name} (thin)`, route.thin);
}

describe('responses of our service', () => {
  it.each([...answers])('%s is parsed unchanged by a tolerant client', (_name, schema) => {
    fc.assert(
      fc.property(valueOf(schema), (value) => {
        expect(schema.parse(value)).toEqual(value);
        expect(tolerant(schema).parse(value)).toEqual(value);
      }),
      { numRuns: 50 },
    );
  });
});

describe('responses of other services', () => {
  it.each([...answers])(
    '%s: any JSON is parsed or rejected with a ZodError, never another exception',
    (_name, schema) => {
      fc.assert(
        fc.property(
          fc.oneof(fc.jsonValue(), fc.constant({ items: [{}] }), fc.constant(undefined)),
          (value) => {
            try {
              tolerant(schema).parse(value);
            } catch (error) {
              expect(error).toBeInstanceOf(z.ZodError);
            }
          },
        ),
        { numRuns: 200 },
      );
    },
  );

  it('an unknown enum value, an unknown key and missing values are accepted', () => {
    const [sample] = fc.sample(valueOf(ticketDetail), 1) as [Record<string, unknown>];
    const { dueAt: _dueAt, tags: _tags, private: _private, metadata: _metadata, ...more } = sample;
    const { customFields: _customFields, followers: _followers, ...rest } = more;
    const read = tolerant(ticketDetail).parse({
      ...rest,
      priority: 'WHENEVER',
      source: 'CARRIER_PIGEON',
      assigneeId: undefined,
      surprise: true,
    });
    expect(read).toMatchObject({
      priority: 'WHENEVER',
      source: 'CARRIER_PIGEON',
      dueAt: null,
      assigneeId: null,
      tags: [],
      private: false,
      metadata: { approval: null, claim: null },
      customFields: {},
      followers: [],
    });
    expect(read).not.toHaveProperty('surprise');
  });

  it.each<[string, boolean]>([
    ['enableUserEmojis', true],
    ['enableUserActions', true],
    ['autoCreateTickets', false],
    ['allowGuestUsers', false],
  ])('B5 B25 a missing switch of a queue: %s counts as %s', (name, expected) => {
    const [sample] = fc.sample(valueOf(queueSettings), 1) as [Record<string, unknown>];
    const read = (value: unknown) => tolerant(queueSettings).parse({ ...sample, [name]: value });
    expect(read(undefined)).toHaveProperty(name, expected);
    expect(read(null)).toHaveProperty(name, expected);
    expect(read(false)).toHaveProperty(name, false);
  });

  it('a ticket without its id is rejected', () => {
    const [sample] = fc.sample(valueOf(ticketDetail), 1) as [Record<string, unknown>];
    expect(() => tolerant(ticketDetail).parse({ ...sample, id: undefined })).toThrow(z.ZodError);
    expect(() => tolerant(ticketDetail).parse({ ...sample, id: null })).toThrow(z.ZodError);
  });

  it('lists are parsed from a bare array, without totalCount, and from { data } or { statuses, groups }', () => {
    const users = fc.sample(valueOf(userList.shape.items), 1)[0] as unknown[];
    const expected = { items: users, totalCount: users.length, nextCursor: null };
    expect(tolerant(userList).parse(users)).toEqual(expected);
    expect(tolerant(userList).parse({ items: users })).toEqual(expected);
    expect(tolerant(userList).parse({ data: users }).items).toEqual(users);
    const statuses = fc.sample(valueOf(statusList.shape.items), 1)[0] as unknown[];
    expect(tolerant(statusList).parse({ statuses, groups: [] }).items).toEqual(statuses);
    expect(tolerant(ticketList).parse([]).responseType).toBe('default');
  });

  it('the types match the schemas', () => {
    const priority: string = tolerant(ticketDetail.shape.priority).parse('X');
    type Detail = Tolerant<TicketDetail>;
    const narrow: Detail['priority'] = 'anything';
    const dueAt: Detail['dueAt'] = null;
    expect([priority, narrow, dueAt]).toEqual(['X', 'anything', null]);
  });
});
