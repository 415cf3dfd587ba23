import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { postSigned } from '../harness/signed-event.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { userIdOf } from '../harness/user-id.ts';
import { sharedWorld, startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const SECRET = 'a-webhook-secret-of-the-both-ways-tests';
const world = sharedWorld({ SERVICE_WEBHOOK_SECRET: SECRET });

async function open(world: World, user = 'ada'): Promise<{ root: string; id: string }> {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, user, `<@${bot}> something to talk about`);
  const ticket = await ticketAt(world.service, ts);
  return { root: ts, id: ticket.id };
}

describe('the thread is the conversation', () => {
  test('B12 edits and deletions in chat are applied to the ticket', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world);
    const kept = await chat.say(CHANNEL, 'ada', 'It beeps tree times', root);
    const gone = await chat.say(CHANNEL, 'ada', 'oops, wrong thread', root);
    await world.untilIdle();
    await chat.edit(CHANNEL, 'ada', kept.ts, 'It beeps *three* times');
    await chat.remove(CHANNEL, 'ada', gone.ts);
    await world.untilIdle();
    const { items } = await service.listTicketMessages({ query: { ticketId: id } });
    expect(items.map(({ content, status, deleted }) => [content, status, deleted])).toEqual([
      ['It beeps **three** times', 'EDITED', false],
      ['', 'DELETED', true],
    ]);
    expect(await chat.thread(CHANNEL, root)).toHaveLength(2);
  });

  test('B12 a deleted message stays off the ticket, in whatever order Slack reports it, its edit and its deletion', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world);
    await world.untilIdle();
    const orders = [
      [1, 2, 3],
      [1, 3, 2],
      [2, 1, 3],
      [2, 3, 1],
      [3, 1, 2],
      [3, 2, 1],
    ];
    await chat.withHeldClock(async () => {
      for (const order of orders) {
        // The message, its edit and its deletion arrive at the second of that number.
        await chat.post('faults', {
          events: order.map((second) => ({ kind: 'delay', event: 'message', times: 1, ms: second * 1000 })),
        });
        const { ts } = await chat.say(CHANNEL, 'ada', `a slip, in the order ${order.join()}`, root);
        await chat.edit(CHANNEL, 'ada', ts, `another slip, in the order ${order.join()}`);
        await chat.remove(CHANNEL, 'ada', ts);
      }
      for (const left of [2, 1, 0]) {
        await chat.post('clock', { advance: '1s' });
        const isDelivered = async () => (await chat.state()).undelivered === left * orders.length;
        await until('the next of them', isDelivered);
        await world.untilBridgeIdle();
      }
    });
    const { items } = await service.listTicketMessages({ query: { ticketId: id } });
    expect(items.filter(({ deleted }) => !deleted).map(({ content }) => content)).toEqual([]);
    // Not all of them were too late.
    expect(items.length).toBeGreaterThan(0);
  });

  test('what is said after the clock of chat was held stands after what was answered meanwhile', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world);
    await chat.withHeldClock(async () => {
      await service.createTicketMessage({ body: { ticketId: id, content: 'first' } });
      await world.untilIdle();
    });
    await chat.say(CHANNEL, 'ada', 'second', root);
    await world.untilIdle();
    const { items } = await service.listTicketMessages({ query: { ticketId: id } });
    expect(items.map(({ content }) => content)).toEqual(['first', 'second']);
  });

  test('B13 edits and deletions on the ticket are applied in chat, also for a message in several parts', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world);
    const long = Array.from({ length: 30 }, (_, n) => `Step ${n}: ${'do it carefully '.repeat(20)}`).join(
      '\n\n',
    );
    const message = await service.createTicketMessage({ body: { ticketId: id, content: long } });
    await world.untilIdle();
    const posts = async () =>
      (await chat.thread(CHANNEL, root)).filter(({ text }) => /Step|Short/.test(text));
    expect((await posts()).length).toBeGreaterThan(2);
    expect((await posts()).map(({ text }) => text).join('\n')).toMatch(/Step 0:[^]*Step 29:/);

    await service.updateTicketMessage({ params: { id: message.id }, body: { content: 'Short after all' } });
    await world.untilIdle();
    expect((await posts()).map(({ text }) => text)).toEqual(['Short after all']);
    // What becomes longer than its posts gets more of them, also where former ones were taken away.
    const write = async (content: string) => {
      await service.updateTicketMessage({ params: { id: message.id }, body: { content } });
      await world.untilIdle();
    };
    await write(long);
    expect((await posts()).map(({ text }) => text).join('\n')).toMatch(/Step 0:[^]*Step 29:/);
    expect(JSON.stringify(await posts())).not.toContain('Continues');
    await write('Short again');
    await chat.say(CHANNEL, 'ada', 'something in between', root);
    await world.untilIdle();
    await write(long);
    expect((await posts()).map(({ text }) => text).join('\n')).toMatch(/Step 0:[^]*Step 29:/);
    const continued = (await posts()).map(({ blocks }) => JSON.stringify(blocks).includes('Continues <http'));
    expect(continued.map((one, at) => one === (at === 1))).not.toContain(false);
    await service.deleteTicketMessage({ params: { id: message.id } });
    await world.untilIdle();
    expect(await posts()).toEqual([]);
  });

  test('B14 an internal note is posted in no thread, and a message that becomes private is deleted there', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world);
    await service.createTicketMessage({
      body: { ticketId: id, content: 'She always breaks things', private: true },
    });
    const slip = await service.createTicketMessage({
      body: { ticketId: id, content: 'This was meant as a note' },
    });
    await world.untilIdle();
    expect(JSON.stringify(await chat.messages(CHANNEL))).not.toContain('always breaks');
    await service.updateTicketMessage({ params: { id: slip.id }, body: { private: true } });
    await world.untilIdle();
    expect(JSON.stringify(await chat.thread(CHANNEL, root))).not.toContain('meant as a note');
  });

  test('B16 no echoes: after messages from both sides each side has every message once', async () => {
    const { chat, service } = world;
    const begun = world.log.length;
    const { root, id } = await open(world);
    for (let n = 1; n <= 5; n++) {
      await chat.say(CHANNEL, 'ada', `question ${n}`, root);
      await service.createTicketMessage({ body: { ticketId: id, content: `answer ${n}` } });
    }
    await world.untilIdle();
    const { items } = await service.listTicketMessages({ query: { ticketId: id } });
    expect(items).toHaveLength(10);
    const answers = items.filter(({ content }) => content.startsWith('answer'));
    const inChat = (await chat.thread(CHANNEL, root)).filter(({ text }) => /question|answer/.test(text));
    expect(inChat.map(({ text }) => text).sort()).toEqual(
      [...Array(5).keys()].flatMap((n) => [`question ${n + 1}`, `answer ${n + 1}`]).sort(),
    );
    // Events of its own posts, such as the card, are dropped on arrival.
    const own = world.log
      .slice(begun)
      .filter(({ event, stored }) => event === 'inbox.stored' && stored === 'needless');
    expect(own.length).toBeGreaterThan(answers.length);
    expect(world.log.map(({ outcome }) => outcome)).not.toContain('own post');
    // The service does not even send events for what the bridge wrote.
    const database = new pg.Client({ connectionString: world.environment['DATABASE_URL'] });
    await database.connect();
    onTestFinished(() => database.end());
    const { rows } = await database.query<{ content: string }>(
      `select body::json #>> '{data,content}' as content from service.event
        where type = 'Message' and body::json #>> '{data,ticketId}' = $1`,
      [id],
    );
    expect(rows.map(({ content }) => content).sort()).toEqual(answers.map(({ content }) => content).sort());
    // Late events of recorded messages are dropped on arrival; others are stored.
    const [webhook] = (await service.listWebhooks({ query: {} })).items;
    const told = async (message: string) => {
      const event = {
        type: 'Message',
        action: 'created',
        data: { id: message, ticketId: id, source: 'CHAT' },
      };
      const sent = { id: `evt_${message}`, secret: SECRET, event };
      return (await postSigned(webhook?.url ?? '', sent)).body;
    };
    const question = items.find(({ content }) => content.startsWith('question'));
    expect(await told(question?.id ?? '')).toEqual({ stored: false });
    expect(await told('msg_that_is_new')).toEqual({ stored: true });
    // The service knows the chat message of its message, beside the team's copy.
    const { id: here } = DEMO.channels.itHelp;
    const placesOf = ({ chatMessages }: (typeof answers)[number]) =>
      chatMessages.filter(({ channelId }) => channelId === here).map(({ ts }) => ts);
    expect(answers.flatMap(placesOf)).toEqual(
      inChat.filter(({ text }) => text.startsWith('answer')).map(({ ts }) => ts),
    );
  });

  test('a merged ticket’s thread says where it goes on, and later messages cross once, in order, to the other thread', async () => {
    const { chat, service } = world;
    const [from, into] = [await open(world), await open(world, 'ben')];
    await chat.say(CHANNEL, 'ada', 'before the merge', from.root);
    await world.untilIdle();
    const { code } = await service.mergeTicket({ params: { id: from.id }, body: { intoId: into.id } });
    await world.untilIdle();
    const texts = async (root: string) => (await chat.thread(CHANNEL, root)).map(({ text }) => text);
    expect((await texts(from.root)).join('\n')).toContain(`merged into ${code}`);

    const said = await chat.say(CHANNEL, 'ada', 'late 1', from.root);
    await chat.say(CHANNEL, 'ben', 'late 2', into.root);
    await world.untilIdle();
    await service.createTicketMessage({ body: { ticketId: into.id, content: 'late 3' } });
    const gone = await chat.say(CHANNEL, 'ada', 'late 4', from.root);
    await chat.say(CHANNEL, 'ada', 'late 5', from.root);
    await world.untilIdle();
    const onTicket = async (ticketId: string) =>
      (
        await service.listTicketMessages({ query: { ticketId, sortBy: 'createdAt', sortDirection: 'asc' } })
      ).items
        .filter(({ deleted, content }) => !deleted && /late|before/.test(content))
        .map(({ content }) => content);
    const late = async (root: string) => (await texts(root)).filter((text) => text.startsWith('late'));
    expect([await onTicket(from.id), (await onTicket(into.id)).toSorted()]).toEqual([
      ['before the merge'],
      ['late 1', 'late 2', 'late 3', 'late 4', 'late 5'],
    ]);
    expect((await late(into.root)).toSorted()).toEqual(['late 1', 'late 2', 'late 3', 'late 4', 'late 5']);
    expect((await late(into.root)).filter((text) => /[145]/.test(text))).toEqual([
      'late 1',
      'late 4',
      'late 5',
    ]);
    expect(await late(from.root)).toEqual(['late 1', 'late 4', 'late 5']);

    await chat.edit(CHANNEL, 'ada', said.ts, 'late 1, edited');
    await chat.remove(CHANNEL, 'ada', gone.ts);
    await world.untilIdle();
    expect((await onTicket(into.id)).toSorted()).toEqual(['late 1, edited', 'late 2', 'late 3', 'late 5']);
    expect((await late(into.root)).toSorted()).toEqual(['late 1, edited', 'late 2', 'late 3', 'late 5']);
    // The merged ticket stays closed; the other one, when closed too, is reopened by either requester.
    const { items: statuses } = await service.listStatuses({ query: {} });
    const statusId = statuses.find(({ label }) => label === 'Done')?.id ?? '';
    await service.updateTicket({ params: { id: into.id }, body: { data: { statusId } } });
    await world.untilIdle();
    await chat.say(CHANNEL, 'ada', 'late 6: it is not done', from.root);
    await world.untilIdle();
    const groupOf = async (id: string) =>
      (await service.readTicket({ params: { id } })).status.statusGroup.label;
    expect([await groupOf(from.id), await groupOf(into.id)]).toEqual(['Closed', 'Open']);

    // Its card leads to the other one, and the requester's *Reopen*, wherever it is, takes it out of no merge.
    const { code: own } = await service.readTicket({ params: { id: from.id } });
    const cardOf = async () =>
      JSON.stringify(
        (await chat.thread(CHANNEL, from.root)).find(({ metadata }) => metadata?.event_payload['card'])
          ?.blocks,
      );
    expect(await cardOf()).toMatch(new RegExp(`${own}>\\* continues as .*${code}`));
    expect(await cardOf()).not.toContain('Reply here if you still need help');
    await chat.command(CHANNEL, 'ada', `reopen ${own}`);
    await until('the answer', async () =>
      (await chat.ephemeral(CHANNEL, 'ada'))?.text.includes('which is open'),
    );
    await service.updateTicket({ params: { id: into.id }, body: { data: { statusId } } });
    await chat.command(CHANNEL, 'ada', `reopen ${own}`);
    await until('the other one is reopened', async () => (await groupOf(into.id)) === 'Open');
    await chat.command(CHANNEL, 'ada', `status ${own} open`);
    await world.untilIdle();
    expect((await service.readTicket({ params: { id: from.id } })).mergedIntoId).toBe(into.id);
    // The team undoes it, and the thread says so.
    await chat.command(CHANNEL, 'mira', `status ${own} open`);
    await until('the undoing', async () => (await groupOf(from.id)) === 'Open');
    await world.untilIdle();
    expect((await texts(from.root)).join('\n')).toContain(`no longer merged into ${code}`);
    expect(await cardOf()).not.toContain('continues as');
    await chat.say(CHANNEL, 'ada', 'late 7: on its own again', from.root);
    await world.untilIdle();
    expect(await onTicket(from.id)).toEqual(['before the merge', 'late 7: on its own again']);
  });

  test('B50 a thread with new messages is compared as an active one, even if its ticket does not change', async () => {
    const { root } = await open(world);
    await world.untilIdle();
    const database = new pg.Client({ connectionString: world.environment['DATABASE_URL'] });
    await database.connect();
    try {
      await database.query(`update bridge.conversation set active_at = now() - interval '1 day'`);
      await world.chat.say(CHANNEL, 'ada', 'still here', root);
      await world.untilIdle();
      const { rows } = await database.query(
        `select from bridge.conversation where thread_ts = $1 and active_at > now() - interval '1 hour'`,
        [root],
      );
      expect(rows).toHaveLength(1);
    } finally {
      await database.end();
    }
  });

  test('B19 text of one side neither pings nor injects on the other', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world);
    await service.createTicketMessage({
      body: { ticketId: id, content: '<!channel> <!here> <@U0ADAREYES> @everyone `<!everyone>` & done' },
    });
    await world.untilIdle();
    const post = (await chat.thread(CHANNEL, root)).find(({ text }) => text.includes('done'));
    expect(post?.text).toBe(
      '&lt;!channel&gt; &lt;!here&gt; &lt;@U0ADAREYES&gt; @everyone &lt;!everyone&gt; &amp; done',
    );
    // Code stays code; the text for notifications has no styles.
    expect(JSON.stringify(post?.blocks)).toContain('"text":"<!everyone>","style":{"code":true}');
    expect(JSON.stringify(post?.blocks)).not.toMatch(/"type":"(user|broadcast|usergroup)"/);

    await chat.say(CHANNEL, 'ada', '2 * 3 * 4 [x](http://evil.example) <script>alert(1)</script>', root);
    await world.untilIdle();
    const { items } = await service.listTicketMessages({ query: { ticketId: id } });
    expect(items.at(-1)?.content).toContain('\\<script>');
    expect(items.at(-1)?.content).toContain('2 \\* 3 \\* 4 \\[x]');
  });

  test('B13 a mention of a person on the ticket is a real mention in chat, under the author’s own name', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world);
    const user = (name: string) => userIdOf(service, name);
    await service.createTicketMessage({
      body: {
        ticketId: id,
        authorId: await user('sam'),
        content: `[@Ada Reyes](user:${await user('ada')}) please look`,
      },
    });
    await world.untilIdle();
    const post = (await chat.thread(CHANNEL, root)).find(({ username }) => username === 'Sam Parks');
    expect(JSON.stringify(post?.blocks)).toContain('"user_id":"U0ADAREYES"');
  });

  test('B14 a message that became private is deleted in chat, also if its ticket became private before chat was updated', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world);
    const say = (content: string) => service.createTicketMessage({ body: { ticketId: id, content } });
    const [slip, gone] = [await say('a slip of the tongue'), await say('never mind this')];
    await say('what all may read');
    await world.untilIdle();
    const { items } = await service.listWebhooks({});
    const hook = { id: items.find(({ url }) => url.includes('/webhooks/service'))?.id ?? '' };
    await service.updateWebhook({ params: hook, body: { active: false } });
    await service.updateTicketMessage({ params: { id: slip.id }, body: { private: true } });
    await service.deleteTicketMessage({ params: { id: gone.id } });
    await service.updateTicket({ params: { id }, body: { data: { private: true } } });
    await service.updateWebhook({ params: hook, body: { active: true } });
    await service.updateTicket({ params: { id }, body: { data: { priority: 'HIGH' } } });
    await world.untilIdle();
    const texts = JSON.stringify(await chat.thread(CHANNEL, root));
    expect(texts).toContain('what all may read');
    expect(texts).not.toMatch(/slip of the tongue|never mind this/);
  });

  test('B14 messages of a ticket that became private are no longer posted where others can read, and its card there shows nothing', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world);
    await world.untilIdle();
    await service.updateTicket({ params: { id }, body: { data: { private: true } } });
    await service.createTicketMessage({ body: { ticketId: id, content: 'SECRET salary' } });
    await world.untilIdle();
    const thread = JSON.stringify(await chat.thread(CHANNEL, root));
    expect(thread).not.toContain('SECRET');
    expect(thread).toContain('is a private ticket');
    expect(thread).not.toContain('something to talk about');
  });

  test('B8 a mention in a direct conversation opens a private ticket, and its conversation continues there', async () => {
    const { chat, service } = world;
    const { bot } = await chat.state();
    const root = await chat.say('@deskbridge', 'ben', `<@${bot}> my own affair`);
    const ticket = await ticketAt(service, root.ts);
    expect(ticket.private).toBe(true);
    await service.createTicketMessage({ body: { ticketId: ticket.id, content: 'between us' } });
    await world.untilIdle();
    const [copy] =
      (await service.listTicketMessages({ query: { ticketId: ticket.id } })).items[0]?.chatMessages ?? [];
    expect(copy?.channelId).toBe(root.channel);
  });

  test('extreme texts hold nothing up: endless nesting, a thousand mentions, a very long text', async () => {
    const { chat, service } = world;
    const { root, id } = await open(world);
    const hostile = [
      '>'.repeat(3_000) + 'x',
      '[@a](user:usr_nobody) '.repeat(1_200),
      'www.'.repeat(20_000),
      '![][a]',
    ];
    for (const content of hostile) await service.createTicketMessage({ body: { ticketId: id, content } });
    await service.createTicketMessage({ body: { ticketId: id, content: 'and on we go' } });
    await world.untilIdle();
    const texts = (await chat.thread(CHANNEL, root)).map(({ text }) => text);
    expect(texts.at(-1)).toBe('and on we go');
  });

  test('B13 new answers are in the order in which they were written, whatever was edited since', async () => {
    const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
    const bridge = await base.startAlongside(['start']);
    const { root, id } = await open(bridge);
    await bridge.untilIdle();
    await bridge.stop();
    const { service } = base;
    const first = await service.createTicketMessage({ body: { ticketId: id, content: 'first' } });
    await service.createTicketMessage({ body: { ticketId: id, content: 'second' } });
    await service.updateTicketMessage({ params: { id: first.id }, body: { content: 'first, edited' } });
    await bridge.restart();
    await service.createTicketMessage({ body: { ticketId: id, content: 'third' } });
    await until('the third', async () =>
      (await bridge.chat.thread(CHANNEL, root)).find(({ text }) => text === 'third'),
    );
    const texts = (await bridge.chat.thread(CHANNEL, root)).map(({ text }) => text);
    expect(texts.slice(-3)).toEqual(['first, edited', 'second', 'third']);
  });
});
