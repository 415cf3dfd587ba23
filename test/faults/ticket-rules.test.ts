import fc from 'fast-check';
import { expect, test } from 'vitest';

import { type Body, type Running, startTestService } from '../service/harness.ts';

/** Lists of commands; `PROPERTY_RUNS=1000` for a long run. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 12);

interface Known {
  id: string;
  title: string;
  priority: string;
  queue: number;
  number: number;
  archived: boolean;
  /** Texts of its messages in order; null for a deleted one. */
  messages: (string | null)[];
  messageIds: string[];
  updatedAt: string;
}

/** The model of the service's state, without clock and database. */
interface Model {
  tickets: Known[];
  lastNumber: [number, number];
}

interface Real {
  service: Running;
  queues: string[];
  /** The latest timestamp seen on each ticket and its messages. */
  stamps: Map<string, string>;
}

type Command = fc.AsyncCommand<Model, Real>;
const PRIORITIES = ['URGENT', 'HIGH', 'MEDIUM', 'LOW'];
const pick = ({ tickets }: Model, index: number) => tickets[index % tickets.length] as Known;

/** Every change of a ticket or of one of its messages sets a later timestamp than all before. */
function later({ stamps }: Real, ticket: Known, { updatedAt }: Body): void {
  expect(updatedAt > (stamps.get(ticket.id) ?? '')).toBe(true);
  stamps.set(ticket.id, updatedAt);
}

class Create implements Command {
  readonly queue: number;
  readonly title: string;
  constructor(queue: number, title: string) {
    this.queue = queue;
    this.title = title;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const { status, body } = await real.service.call('POST', '/tickets', {
      body: { title: this.title, queueId: real.queues[this.queue], priority: 'LOW' },
    });
    const number = (model.lastNumber[this.queue] ?? 0) + 1;
    model.lastNumber[this.queue] = number;
    expect([status, body.number, body.title]).toEqual([200, number, this.title]);
    const { id, updatedAt } = body;
    model.tickets.push({
      id,
      title: this.title,
      priority: 'LOW',
      queue: this.queue,
      number,
      archived: false,
      messages: [],
      messageIds: [],
      updatedAt,
    });
    real.stamps.set(id, updatedAt);
  }
  toString = () => `create in ${this.queue} ${JSON.stringify(this.title)}`;
}

class Update implements Command {
  readonly at: number;
  readonly title: string;
  readonly priority: string;
  constructor(at: number, title: string, priority: string) {
    this.at = at;
    this.title = title;
    this.priority = priority;
  }
  check = ({ tickets }: Readonly<Model>) => tickets.length > 0;
  async run(model: Model, real: Real): Promise<void> {
    const ticket = pick(model, this.at);
    const { status, body } = await real.service.call('PUT', `/tickets/${ticket.id}`, {
      body: { data: { title: this.title, priority: this.priority } },
    });
    expect(status).toBe(200);
    const same = ticket.title === this.title && ticket.priority === this.priority;
    if (same) expect(body.updatedAt).toBe(ticket.updatedAt);
    else later(real, ticket, body);
    Object.assign(ticket, { title: this.title, priority: this.priority, updatedAt: body.updatedAt });
  }
  toString = () => `update ${this.at} to ${JSON.stringify([this.title, this.priority])}`;
}

class Move implements Command {
  readonly at: number;
  readonly queue: number;
  constructor(at: number, queue: number) {
    this.at = at;
    this.queue = queue;
  }
  check = ({ tickets }: Readonly<Model>) => tickets.length > 0;
  async run(model: Model, real: Real): Promise<void> {
    const ticket = pick(model, this.at);
    const { status, body } = await real.service.call('PUT', `/tickets/${ticket.id}`, {
      body: { data: { queueId: real.queues[this.queue] } },
    });
    expect(status).toBe(200);
    if (ticket.queue !== this.queue) {
      const number = (model.lastNumber[this.queue] ?? 0) + 1;
      model.lastNumber[this.queue] = number;
      Object.assign(ticket, { queue: this.queue, number });
      later(real, ticket, body);
    }
    expect(body.number).toBe(ticket.number);
    ticket.updatedAt = body.updatedAt;
  }
  toString = () => `move ${this.at} to ${this.queue}`;
}

class Say implements Command {
  readonly at: number;
  readonly text: string;
  constructor(at: number, text: string) {
    this.at = at;
    this.text = text;
  }
  check = ({ tickets }: Readonly<Model>) => tickets.length > 0;
  async run(model: Model, real: Real): Promise<void> {
    const ticket = pick(model, this.at);
    const { status, body } = await real.service.call('POST', '/ticket-messages', {
      body: { ticketId: ticket.id, content: this.text },
    });
    expect(status).toBe(200);
    ticket.messages.push(this.text);
    ticket.messageIds.push(body.id);
    later(real, ticket, body);
  }
  toString = () => `say in ${this.at} ${JSON.stringify(this.text)}`;
}

class Take implements Command {
  readonly at: number;
  readonly message: number;
  constructor(at: number, message: number) {
    this.at = at;
    this.message = message;
  }
  check = ({ tickets }: Readonly<Model>) => tickets.some(({ messages }) => messages.length > 0);
  async run(model: Model, real: Real): Promise<void> {
    const talked = model.tickets.filter(({ messages }) => messages.length > 0);
    const ticket = pick({ ...model, tickets: talked }, this.at);
    const index = this.message % ticket.messages.length;
    const { status, body } = await real.service.call(
      'DELETE',
      `/ticket-messages/${ticket.messageIds[index] ?? ''}`,
    );
    expect([status, body.content]).toEqual([200, '']);
    if (ticket.messages[index] !== null) later(real, ticket, body);
    ticket.messages[index] = null;
  }
  toString = () => `delete message ${this.message} of ${this.at}`;
}

class Archive implements Command {
  readonly at: number;
  constructor(at: number) {
    this.at = at;
  }
  check = ({ tickets }: Readonly<Model>) => tickets.length > 0;
  async run(model: Model, real: Real): Promise<void> {
    const ticket = pick(model, this.at);
    const { status } = await real.service.call('DELETE', `/tickets/${ticket.id}`);
    expect(status).toBe(200);
    ticket.archived = true;
    const { body } = await real.service.call('GET', `/tickets/${ticket.id}`);
    ticket.updatedAt = body.updatedAt;
    if (body.updatedAt > (real.stamps.get(ticket.id) ?? '')) real.stamps.set(ticket.id, body.updatedAt);
  }
  toString = () => `archive ${this.at}`;
}

test('P5 any sequence of writes to tickets gives the state of a small model: numbers are unique per queue, updatedAt strictly increases', async () => {
  const service = await startTestService();
  const text = fc.stringMatching(/^[a-z][a-z ü🙂]{0,8}[a-z]$/u);
  const at = fc.nat(20);
  const queue = fc.nat(1);
  const commands = fc.commands(
    [
      fc.tuple(queue, text).map((given) => new Create(...given)),
      fc.tuple(at, text, fc.constantFrom(...PRIORITIES)).map((given) => new Update(...given)),
      fc.tuple(at, queue).map((given) => new Move(...given)),
      fc.tuple(at, text).map((given) => new Say(...given)),
      fc.tuple(at, at).map((given) => new Take(...given)),
      at.map((given) => new Archive(given)),
    ],
    { maxCommands: 40, size: 'max' },
  );
  let made = 0;
  await fc.assert(
    fc.asyncProperty(commands, async (list) => {
      const queues = [];
      for (const _ of [0, 1]) {
        const prefix = `Q${(++made).toString(36).toUpperCase()}`;
        const { status, body } = await service.call('POST', '/queues', { body: { name: prefix, prefix } });
        expect(status).toBe(200);
        queues.push(body.id);
      }
      const model: Model = { tickets: [], lastNumber: [0, 0] };
      const real: Real = { service, queues, stamps: new Map() };
      await fc.asyncModelRun(() => ({ model, real }), list);
      for (const ticket of model.tickets) {
        const { body } = await service.call('GET', `/tickets/${ticket.id}`);
        const { items } = (await service.call('GET', `/ticket-messages?ticketId=${ticket.id}`)).body;
        expect({
          title: body.title,
          number: body.number,
          queue: queues.indexOf(body.queueId),
          archived: body.archivedAt !== null,
          messages: items.map(({ content }) => content || null),
        }).toEqual({
          title: ticket.title,
          number: ticket.number,
          queue: ticket.queue,
          archived: ticket.archived,
          messages: ticket.messages,
        });
      }
      const references = model.tickets.map((ticket) => `${ticket.queue} ${ticket.number}`);
      expect(new Set(references).size).toBe(references.length);
    }),
    { numRuns: RUNS },
  );
});
