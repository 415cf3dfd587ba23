import { describe, expect, it } from 'vitest';

import type { Match } from '../../../src/contract/index.ts';
import { NOBODY } from '../../../src/service/access/viewer.ts';
import { findTickets } from '../../../src/service/search/find.ts';
import { type Running, sharedService } from '../harness.ts';
import { anotherWorkspace, openTables } from '../world.ts';

const newWorkspace = sharedService();

async function makeTicket({ call }: Running, body: Record<string, unknown>, token?: string): Promise<string> {
  const answer = await call('POST', '/tickets', { body, ...(token !== undefined && { token }) });
  expect(answer.status).toBe(200);
  return answer.body.id;
}

async function say({ call }: Running, ticketId: string, content: string, isPrivate = false): Promise<string> {
  const body = { ticketId, content, private: isPrivate };
  return (await call('POST', '/ticket-messages', { body })).body.id;
}

async function find({ call }: Running, query: Record<string, string>, token?: string): Promise<string[]> {
  const path = `/tickets/semantic-search?${new URLSearchParams(query).toString()}`;
  const answer = await call('GET', path, token === undefined ? {} : { token });
  expect([answer.status, answer.status === 200 ? '' : answer.body]).toEqual([200, '']);
  expect([answer.body.nextCursor, answer.body.totalCount]).toEqual([null, answer.body.items.length]);
  return answer.body.items.map(({ id }) => id);
}

describe('semantic search, built in', () => {
  it('ranks the title over the description over messages, and lists no ticket with only half of the words', async () => {
    const running = await newWorkspace();
    const message = await makeTicket(running, { title: 'Something else' });
    await say(running, message, 'it says the printer is broken');
    const description = await makeTicket(running, {
      title: 'Third floor',
      description: 'the printer there is broken',
    });
    const title = await makeTicket(running, { title: 'Broken printer' });
    const some = await makeTicket(running, { title: 'Broken window' });
    expect(await find(running, { query: 'broken printers' })).toEqual([title, description, message]);
    expect(await find(running, { search: 'window' })).toEqual([some]);
    expect(await find(running, { query: 'printer', excludeTicketId: title })).toEqual([description, message]);
    expect(await find(running, { query: 'printer', limit: '1' })).toEqual([title]);
  });

  it('corrects typing errors, in titles, if the typed words find too little', async () => {
    const running = await newWorkspace();
    const printer = await makeTicket(running, { title: 'Printer on the third floor jams' });
    const vpn = await makeTicket(running, { title: 'Cannot connect to the VPN from home' });
    expect(await find(running, { query: 'pritner' })).toEqual([printer]);
    expect(await find(running, { query: 'conect vnp hmoe' })).toEqual([vpn]);
    expect(await find(running, { query: 'zzzzzz' })).toEqual([]);
  });

  it('follows every write: edits, deletions, notes made public, renamed and archived tickets', async () => {
    const running = await newWorkspace();
    const { call } = running;
    const id = await makeTicket(running, { title: 'Laptop' });
    const message = await say(running, id, 'the keyboard is sticky');
    expect(await find(running, { query: 'sticky keyboard' })).toEqual([id]);
    await call('PUT', `/ticket-messages/${message}`, { body: { content: 'the mousepad is sticky' } });
    expect(await find(running, { query: 'keyboard' })).toEqual([]);
    expect(await find(running, { query: 'mousepad' })).toEqual([id]);
    await call('DELETE', `/ticket-messages/${message}`);
    expect(await find(running, { query: 'mousepad' })).toEqual([]);
    await call('PUT', `/tickets/${id}`, { body: { data: { title: 'Headphones' } } });
    expect(await find(running, { query: 'laptop' })).toEqual([]);
    expect(await find(running, { query: 'headphone' })).toEqual([id]);
    await call('DELETE', `/tickets/${id}`);
    expect(await find(running, { query: 'headphone' })).toEqual([]);
    await call('PUT', `/tickets/${id}`, { body: { data: { archivedAt: null } } });
    expect(await find(running, { query: 'headphone' })).toEqual([id]);
  });

  it('for one user: no private ticket of others, and nothing by an internal note', async () => {
    const running = await newWorkspace();
    const person = async (email: string) =>
      (await running.call('POST', '/users', { body: { firstName: 'P', email } })).body.id;
    const [ada, ben] = [await person('ada@acme.example'), await person('ben@acme.example')];
    const open = await makeTicket(running, { title: 'Salary question', requesterId: ada });
    const closed = await makeTicket(running, { title: 'Salary raise', requesterId: ada, private: true });
    await say(running, open, 'escalated to the works council', true);
    expect((await find(running, { query: 'salary' })).sort()).toEqual([open, closed].sort());
    expect((await find(running, { query: 'salary', visibleToUserId: ada })).sort()).toEqual(
      [open, closed].sort(),
    );
    expect(await find(running, { query: 'salary', visibleToUserId: ben })).toEqual([open]);
    expect(await find(running, { query: 'salry', visibleToUserId: ben })).toEqual([open]);
    expect(await find(running, { query: 'works council' })).toEqual([open]);
    expect(await find(running, { query: 'works council', visibleToUserId: ada })).toEqual([]);
  });

  it('another workspace finds nothing, whatever it names', async () => {
    const running = await newWorkspace();
    const other = await anotherWorkspace(running);
    const id = await makeTicket(running, { title: 'Merger with Acme' });
    const theirs = await makeTicket(running, { title: 'Merger talk', queueId: other.queueId }, other.token);
    expect(await find(running, { query: 'merger' })).toEqual([id]);
    expect(await find(running, { query: 'mergre' }, other.token)).toEqual([theirs]);
    expect(await find(running, { query: 'merger', workspaceId: running.workspaceId }, other.token)).toEqual(
      [],
    );
    expect(await find(running, { query: 'merger', workspaceId: other.workspaceId })).toEqual([]);
  });

  it('takes words literally: operators, quotes and wildcards have no meaning', async () => {
    const running = await newWorkspace();
    const id = await makeTicket(running, { title: "Drop 'table' | & ! <-> :* %_ \\ ticket" });
    for (const query of ["'", "''; drop table ticket; --", '!drop', 'a & | b', ':*', '%', '\\', '<->', 'the'])
      await find(running, { query });
    expect(await find(running, { query: "drop 'table':* & !" })).toEqual([id]);
    expect(await find(running, { query: '%' })).toEqual([]);
  });

  it('returns thin tickets on request, and rejects values out of range', async () => {
    const { call } = await newWorkspace();
    const made = (await call('POST', '/tickets', { body: { title: 'Thin ice' } })).body;
    const thin = await call('GET', '/tickets/semantic-search?query=ice&responseType=thin');
    expect(thin.body).toMatchObject({
      responseType: 'thin',
      items: [{ id: made.id, status: made.statusId }],
      // There is no model here, and no provider.
      meaning: false,
    });
    for (const query of [
      '',
      'query=',
      'query=%20',
      'query=x&limit=0',
      'query=x&limit=21',
      'query=x&provider=acme',
    ]) {
      const answer = await call('GET', `/tickets/semantic-search?${query}`);
      expect([query, answer.status, answer.body.code]).toEqual([query, 400, 'BAD_REQUEST']);
    }
  });

  it('never misses the exact title, nor old tickets, because of the limits on what a search reads', async () => {
    const running = await newWorkspace();
    const { db } = openTables(running);
    const exact = await makeTicket(running, { title: 'Broken printer' });
    const rare = await makeTicket(running, { title: 'Other', description: 'a printer of rareword make' });
    for (let n = 0; n < 12; n++) {
      const id = await makeTicket(running, {
        title: `Printer number ${n} is broken`,
        description: 'printer',
      });
      await say(running, id, 'the printer is still broken');
    }
    const scope = { workspaceIds: [running.workspaceId], exclude: undefined, viewer: undefined };
    const bounds = { matches: 4, newest: 3, candidates: 2 };
    const found = async (words: string, more: object = {}) =>
      (await findTickets(db, undefined, words, { ...scope, ...more }, { limit: 5, bounds })).map(
        ({ id }) => id,
      );
    expect((await found('broken PRINTER'))[0]).toBe(exact);
    expect(await found('printer rareword')).toContain(rare);
    expect((await found('rareword'))[0]).toBe(rare);
    // A common word: the newest ones, found by scanning, although the index is only read up to its limit.
    const newest = await makeTicket(running, { title: 'A printer' });
    expect(await found('printer')).toContain(newest);
    expect((await found('broken printer', { viewer: NOBODY }))[0]).toBe(exact);
  });

  it('finds a common word among old tickets, however many newer ones lack it', async () => {
    const running = await newWorkspace();
    const { db } = openTables(running);
    for (let n = 0; n < 6; n++) await makeTicket(running, { title: `Pandemic rules ${n}` });
    for (let n = 0; n < 6; n++) await makeTicket(running, { title: `Something newer ${n}` });
    const scope = { workspaceIds: [running.workspaceId], exclude: undefined, viewer: undefined };
    const bounds = { matches: 4, newest: 3, candidates: 3 };
    expect(await findTickets(db, undefined, 'pandemic', scope, { limit: 3, bounds })).toHaveLength(3);
  });

  it('finds two common words in one old ticket, the one far more common than the other', async () => {
    const running = await newWorkspace();
    const { db } = openTables(running);
    const old = await makeTicket(running, { title: 'Harvest', description: 'mango' });
    await say(running, old, 'and papaya');
    for (let n = 0; n < 6; n++) await makeTicket(running, { title: `Mango ${n}` });
    for (let n = 0; n < 45; n++) await makeTicket(running, { title: `Papaya ${n}` });
    const scope = { workspaceIds: [running.workspaceId], exclude: undefined, viewer: undefined };
    const bounds = { matches: 4, newest: 3, candidates: 3 };
    const found = await findTickets(db, undefined, 'papaya mango', scope, { limit: 3, bounds });
    expect(found.filter(({ hasAll }) => hasAll).map(({ id }) => id)).toEqual([old]);
  });

  it('lists tickets that lack one of several words, after those that have all of them', async () => {
    const running = await newWorkspace();
    const three = await makeTicket(running, { title: 'Outlook calendar sync', description: 'since Monday' });
    const two = await makeTicket(running, { title: 'Outlook calendar sync since Tuesday' });
    await makeTicket(running, { title: 'Outlook' });
    expect(await find(running, { query: 'outlook calendar monday sync' })).toEqual([three, two]);
    expect(await find(running, { query: 'outlook calendar monday sync', limit: '1' })).toEqual([three]);
  });

  it('finds prefixes of words and typing errors in any position', async () => {
    const running = await newWorkspace();
    const id = await makeTicket(running, { title: 'Something', description: 'The projector flickers' });
    await say(running, id, 'I brought another adapter');
    for (const query of ['projec', 'projcetor', 'flikcers', 'adaptor', 'adapt proj'])
      expect([query, await find(running, { query })]).toEqual([query, [id]]);
  });

  it('corrects neither a common word that no ticket has nor the first letter of another', async () => {
    const running = await newWorkspace();
    await makeTicket(running, { title: 'Fault on the line' });
    const dryer = await makeTicket(running, { title: 'Hand dryer' });
    for (const query of ['vault', 'bault', 'fryer'])
      expect([query, await find(running, { query })]).toEqual([query, []]);
    for (const query of ['fualt', 'afult', 'faultt']) expect(await find(running, { query })).toHaveLength(1);
    expect(await find(running, { query: 'dreyr' })).toEqual([dryer]);
  });

  it('finds people by name, also a new one, and a ticket by its reference', async () => {
    const running = await newWorkspace();
    const { call } = running;
    const ada = (
      await call('POST', '/users', { body: { firstName: 'Ada', lastName: 'Quimby', email: 'a@x.example' } })
    ).body.id;
    const body = { title: 'Chair', requesterId: ada };
    const made = (await call('POST', '/tickets', { body })).body;
    await makeTicket(running, { title: 'Table' });
    expect(await find(running, { query: 'quimby' })).toEqual([made.id]);
    expect(await find(running, { query: 'chair of ada qiumby' })).toEqual([made.id]);
    expect(await find(running, { query: made.code.toLowerCase() })).toEqual([made.id]);
    await call('PUT', `/users/${ada}`, { body: { lastName: 'Zoller' } });
    expect(await find(running, { query: 'zoller' })).toEqual([made.id]);
    expect(await find(running, { query: 'quimby' })).toEqual([]);
  });

  it('finds a ticket that becomes private for every user with access, and for nobody else', async () => {
    const running = await newWorkspace();
    const follower = (
      await running.call('POST', '/users', { body: { firstName: 'F', email: 'f@acme.example' } })
    ).body.id;
    const id = await makeTicket(running, { title: 'Relocation', followers: [{ id: follower }] });
    expect(await find(running, { query: 'relocation', visibleToUserId: 'usr_nobody' })).toEqual([id]);
    await running.call('PUT', `/tickets/${id}`, { body: { data: { private: true } } });
    expect(await find(running, { query: 'relocation', visibleToUserId: 'usr_nobody' })).toEqual([]);
    expect(await find(running, { query: 'relocatoin', visibleToUserId: 'usr_nobody' })).toEqual([]);
    expect(await find(running, { query: 'relocation', visibleToUserId: follower })).toEqual([id]);
  });

  it('finds every word of an endless conversation, with whichever others, and rejects no write for it', async () => {
    const running = await newWorkspace();
    const id = await makeTicket(running, { title: 'Endless', description: 'word '.repeat(19_000) });
    const long = (mark: number) =>
      Array.from({ length: 10_000 }, (_, index) => `w${mark}x${index}`)
        .join(' ')
        .slice(0, 99_000);
    for (let mark = 0; mark < 3; mark++) await say(running, id, `${long(mark)} end`);
    await say(
      running,
      id,
      '漢字'.repeat(100) +
        Array.from({ length: 30_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7) % 20_000))).join(
          '',
        ),
    );
    for (const query of ['w0x0 w2x9999', 'endless w1x5000 end', '漢字 w0x17', '一万', 'w1x4999 word'])
      expect([query, await find(running, { query })]).toEqual([query, [id]]);
  });
});

describe('why a ticket is found', () => {
  it('B62 highlights the words in the title and in the passage that contains most of them, as plain text', async () => {
    const running = await newWorkspace();
    const { call } = running;
    const ada = (
      await call('POST', '/users', { body: { firstName: 'Ada', lastName: 'Quimby', email: 'a@x.example' } })
    ).body.id;
    const filler = 'Nothing else happened on that day. '.repeat(20);
    const description = `${filler}\n\nThe **printers** on <b>floor 2</b> print nothing \u0002at\u0003 all. ${filler}`;
    const body = { title: 'Broken & loud printer', description, requesterId: ada };
    const made = (await call('POST', '/tickets', { body })).body;
    let newest = await say(running, made.id, 'Toner & paper were <!channel> changed');
    const why = async (query: string) => {
      const answer = await call(
        'GET',
        `/tickets/semantic-search?${new URLSearchParams({ query }).toString()}`,
      );
      const { matches } = answer.body as unknown as { matches: Match[] };
      expect(matches.map(({ ticketId, by }) => [ticketId, by])).toEqual([[made.id, 'words']]);
      return matches[0]?.snippets.map(({ field, messageId, text, marks }) => {
        expect([text.length < 200, /[\u0002\u0003\n]/.test(text)]).toEqual([true, false]);
        expect(messageId).toBe(field === 'message' ? newest : null);
        return [field, text, marks.map(({ from, to }) => text.slice(from, to))];
      });
    };
    expect(await why('brokn printers')).toEqual([['title', 'Broken & loud printer', ['Broken', 'printer']]]);
    expect(await why('printer floor')).toEqual([
      ['title', 'Broken & loud printer', ['printer']],
      ['description', expect.stringContaining('The printers on'), ['printers', 'floor']],
    ]);
    expect(await why('toner')).toEqual([['message', 'Toner & paper were <!channel> changed', ['Toner']]]);
    newest = await say(running, made.id, 'Then line~~struck~~end, v5.2.1-rc.3');
    for (const [words, found] of [
      ['struck', 'linestruckend'],
      ['linestruckend', 'linestruckend'],
      ['5.2.1', 'v5.2.1-rc.3'],
    ] as const)
      expect(await why(words)).toEqual([['message', 'Then linestruckend, v5.2.1-rc.3', [found]]]);
    expect(await why('quimby')).toEqual([['person', 'Ada Quimby', ['Quimby']]]);
    expect(await why(made.code)).toEqual([['reference', made.code, [made.code]]]);
  });

  it('B62 shows and finds an internal note only for users who may read it', async () => {
    const running = await newWorkspace();
    const { call } = running;
    const person = async (email: string) =>
      (await call('POST', '/users', { body: { firstName: 'P', email } })).body.id;
    const [ada, mira] = [await person('ada@acme.example'), await person('mira@acme.example')];
    const queueId = (await call('POST', '/queues', { body: { name: 'People', prefix: 'HR' } })).body.id;
    const open = await makeTicket(running, { title: 'Salary question', requesterId: ada, queueId });
    const secret = await makeTicket(running, { title: 'Salary raise', queueId, private: true });
    const elsewhere = await makeTicket(running, { title: 'Salary of the cook', private: true });
    await say(running, open, 'escalated to the works council', true);
    const asked = async (query: Record<string, string>) => {
      const path = `/tickets/semantic-search?${new URLSearchParams(query).toString()}`;
      const { body } = await call('GET', path);
      return {
        ids: body.items.map(({ id }) => id).sort(),
        fields: (body as unknown as { matches: Match[] }).matches.flatMap(({ snippets }) =>
          snippets.map(({ field }) => field),
        ),
      };
    };
    const council = { query: 'works council' };
    const salary = { query: 'salary' };
    const team = { visibleToUserId: mira, teamQueueIds: queueId };
    expect(await asked(council)).toEqual({ ids: [open], fields: ['note'] });
    expect(await asked({ ...council, ...team })).toEqual({ ids: [open], fields: ['note'] });
    expect((await asked({ ...salary, ...team })).ids).toEqual([open, secret].sort());
    // A user of another team sees only the public ones, like everyone else.
    for (const more of [
      { visibleToUserId: mira },
      { visibleToUserId: ada },
      { visibleToUserId: mira, teamQueueIds: 'que_other' },
      { private: 'false' },
      { private: 'false', ...team },
    ]) {
      expect([more, await asked({ ...council, ...more })]).toEqual([more, { ids: [], fields: [] }]);
      expect([more, (await asked({ ...salary, ...more })).ids]).toEqual([more, [open]]);
    }
    expect((await asked(salary)).ids).toEqual([open, secret, elsewhere].sort());
  });

  it('B62 accepts the filters of a list, so that a view is searched and not only the best of all tickets', async () => {
    const running = await newWorkspace();
    const { call } = running;
    const mira = (await call('POST', '/users', { body: { firstName: 'Mira', email: 'm@x.example' } })).body
      .id;
    const queueId = (await call('POST', '/queues', { body: { name: 'People', prefix: 'HR' } })).body.id;
    const one = await makeTicket(running, { title: 'Badge lost', queueId, priority: 'HIGH' });
    const two = await makeTicket(running, { title: 'Badge broken', assigneeId: mira, requesterId: mira });
    const { items: statuses } = (await call('GET', '/statuses')).body;
    const done = statuses.find(({ label }) => label === 'Done')?.id ?? '';
    await call('PUT', `/tickets/${two}`, { body: { data: { statusId: done } } });
    const badges = (more: Record<string, string>) => find(running, { query: 'badge', ...more });
    expect(await badges({})).toHaveLength(2);
    for (const more of [
      { queueId },
      { openFilter: 'true' },
      { unassignedFilter: 'true' },
      { priority: 'HIGH' },
    ])
      expect([more, await badges(more)]).toEqual([more, [one]]);
    for (const more of [{ statusId: done }, { assigneeId: mira }, { requesterId: mira }])
      expect([more, await badges(more)]).toEqual([more, [two]]);
    expect(await badges({ approverId: mira })).toEqual([]);
  });
});

describe('search of a list', () => {
  it('B62 filters by words in any order, by prefixes, typing errors, messages, names and references', async () => {
    const running = await newWorkspace();
    const { call } = running;
    const list = async (query: Record<string, string>) => {
      const answer = await call('GET', `/tickets?${new URLSearchParams(query).toString()}`);
      expect([answer.status, answer.body.code]).toEqual([200, undefined]);
      return answer.body.items.map(({ id }) => id);
    };
    const wifi = await makeTicket(running, { title: 'Slow wifi in the office' });
    const other = await makeTicket(running, { title: 'Slow laptop', description: 'no wifi problem' });
    await say(running, other, 'rebooted the router', true);
    for (const search of ['wifi slow', 'slow wif', 'wiif', 'offices wifi'])
      expect([search, await list({ search })]).toEqual([search, expect.arrayContaining([wifi])]);
    expect(await list({ search: 'slow offices' })).toEqual([wifi]);
    expect(await list({ search: 'router laptop' })).toEqual([other]);
    expect(await list({ search: 'router laptop', visibleToUserId: 'usr_nobody' })).toEqual([]);
    expect(await list({ search: 'router' })).toEqual([other]);
    expect(await list({ search: 'router', visibleToUserId: 'usr_nobody' })).toEqual([]);
    // Another word for a laptop matches by meaning, which a filter does not use.
    expect(await list({ search: 'notebook' })).toEqual([]);
    expect(await list({ search: 'wifi' })).toEqual([other, wifi]);
    expect(await list({ search: 'wifi', sortBy: 'relevance' })).toEqual([wifi, other]);
    expect(await list({ search: 'wifi', sortBy: 'createdAt', sortDirection: 'asc' })).toEqual([wifi, other]);
    for (const query of [
      'sortBy=relevance',
      'search=x&sortBy=relevance&cursor=x',
      'search=x&sortBy=relevance&groupBy=priority',
    ])
      expect([query, (await call('GET', `/tickets?${query}`)).status]).toEqual([query, 400]);
  });
});
