import { describe, expect, test } from 'vitest';

import { type ForeignService, startForeignService, type Differences } from '../harness/foreign-service.ts';
import { PIXEL } from '../harness/picture.ts';
import { startTap, type TapPoint } from '../harness/tap.ts';
import { until } from '../harness/until.ts';
import { startProcess, type ProcessWorld, type World } from '../harness/world.ts';
import { bridgeSettings } from '../harness/bridge-settings.ts';

const CHANNEL = 'it-help';
/**
 * Events only: within this time, neither a comparison with the service nor one with chat finds what an event
 * should have reported.
 */
const EVENTS_ONLY = { RECONCILE_EVERY_SECONDS: '3600' };

const STRANGERS: [string, Differences][] = [
  [
    'answers 404, names its lists `data`, keeps chat pairs and sends only ids',
    { missing: 404, lists: 'data', pairs: 'kept', events: 'id' },
  ],
  [
    'answers 405, sends bare arrays, drops chat pairs and names the ticket',
    { missing: 405, lists: 'array', pairs: 'dropped', events: 'ticketId' },
  ],
];

interface Strange {
  /** Our service behind the foreign one: what is really stored. */
  stored: World['service'];
  foreign: ForeignService;
  /** The bridge; the sandbox is a separate program, so that it survives when the bridge is killed. */
  bridge: ProcessWorld;
  chat: World['chat'];
  /** Sets the handler for each step of an exchange between bridge and service. */
  meet: (at: (point: TapPoint) => Promise<'go on' | 'drop'>) => void;
}

/**
 * A bridge with a foreign service only. Each test compares both sides itself, not by their histories: such a
 * service has no chat pairs to match messages, and keeps edited ones.
 */
async function startStrange(strange: Differences): Promise<Strange> {
  const base = await startProcess({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const foreign = await startForeignService(base.urls.root, strange);
  let at = async (_point: TapPoint): Promise<'go on' | 'drop'> => 'go on';
  const tap = await startTap('service', foreign.url, (point) => at(point));
  const sandbox = await base.startAlongside(['sandbox']);
  const bridge = await base.startAlongside(['bridge'], {
    SERVICE_URL: `${tap.url}/api`,
    ...bridgeSettings(sandbox.urls.sandbox),
    ...EVENTS_ONLY,
  });
  return { stored: base.service, foreign, bridge, chat: sandbox.chat, meet: (next) => (at = next) };
}

/** A user mentions the bot; resolves to the new ticket, found by its title. */
async function open({ stored, bridge, chat }: Strange, who: string, words: string) {
  const { bot } = await chat.state();
  const { ts } = await chat.say(CHANNEL, who, `<@${bot}> ${words}`);
  const ticket = await until('the ticket', async () => (await ticketsOf(stored, words))[0], {});
  await bridge.untilIdle();
  return { root: ts, id: ticket.id, code: ticket.code };
}

async function ticketsOf(stored: World['service'], title: string) {
  const { items } = await stored.listTickets({ query: { search: title } });
  return items.filter((ticket) => ticket.title === title);
}

async function contentsOf(stored: World['service'], ticketId: string): Promise<string[]> {
  const { items } = await stored.listTicketMessages({ query: { ticketId } });
  return items.filter(({ deleted }) => !deleted).map(({ content }) => content);
}

async function answerTo({ chat }: Strange, who: string, text: string): Promise<string> {
  const before = (await chat.ephemeral(CHANNEL, who))?.ts;
  await chat.command(CHANNEL, who, text);
  const { text: answer, blocks } = await until(
    `an answer to /ticket ${text}`,
    async () => {
      const last = await chat.ephemeral(CHANNEL, who);
      // A slow machine first gets the notice that the service is slow.
      return last && last.ts !== before ? last : undefined;
    },
    { seen: () => chat.messages(CHANNEL, who) },
  );
  return `${answer} ${JSON.stringify(blocks)}`;
}

type Opened = Awaited<ReturnType<typeof open>>;

const textsIn = async ({ chat }: Strange, root: string) =>
  (await chat.thread(CHANNEL, root)).map(({ text }) => text);

/**
 * With the right authors: a person who has no record there, and can get none, is named in the text. An edit in chat is a
 * message of its own, and is deleted with it.
 */
async function messagesCrossBothWays(world: Strange, { root, id }: Opened): Promise<void> {
  const { stored, bridge, chat } = world;
  const kept = await chat.say(CHANNEL, 'ada', 'since tuesday', root);
  await chat.say(CHANNEL, 'zoe', 'mine too', root);
  await bridge.untilIdle();
  const reply = await stored.createTicketMessage({ body: { ticketId: id, content: 'which floor?' } });
  await until('the reply in chat', async () => (await textsIn(world, root)).includes('which floor?'));
  const { items } = await stored.listTicketMessages({ query: { ticketId: id } });
  expect(items.map(({ content, author }) => [content, author?.firstName])).toEqual([
    ['since tuesday', 'Ada'],
    ['**zoe:** mine too', expect.anything()],
    ['which floor?', expect.anything()],
  ]);

  await chat.edit(CHANNEL, 'ada', kept.ts, 'since monday');
  await bridge.untilIdle();
  expect(await contentsOf(stored, id)).toEqual([
    'since tuesday',
    '**zoe:** mine too',
    'which floor?',
    'edited: since monday',
  ]);
  // The edit does not come back as a post.
  expect(await textsIn(world, root)).toHaveLength(4);

  await chat.remove(CHANNEL, 'ada', kept.ts);
  await stored.deleteTicketMessage({ params: { id: reply.id } });
  await until('the deletions', async () => !(await textsIn(world, root)).includes('which floor?'));
  await bridge.untilIdle();
  expect(await contentsOf(stored, id)).toEqual(['**zoe:** mine too']);
}

/** A file from chat is a link, and a picture that may not be fetched is named. */
async function filesAndReactionsStayOnTheirSide(world: Strange, { root, id }: Opened): Promise<void> {
  const { stored, bridge, chat } = world;
  const seen = await chat.post<{ message: { ts: string } }>('upload', {
    channel: CHANNEL,
    user: 'ada',
    text: 'like this',
    thread_ts: root,
    files: [{ name: 'hum.png', content: PIXEL.toString('base64') }],
  });
  await chat.react(CHANNEL, 'ben', seen.message.ts, 'tada');
  const picture = await stored.createTicketMessage({
    body: { ticketId: id, content: 'see ![the plan](http://127.0.0.1:9/plan.png)' },
  });
  const unshown = 'the plan could not be shown here: its address may not be called';
  await until(
    'the words about the picture',
    async () => (await textsIn(world, root)).some((text) => text.startsWith(unshown)),
    { seen: () => textsIn(world, root) },
  );
  await bridge.untilIdle();
  const link = /^like this\n\n\[hum\.png\]\(<http:.*\/hum\.png>\) \(image\/png, 1 kB\)$/;
  expect(await contentsOf(stored, id)).toContainEqual(expect.stringMatching(link));
  const given = (await chat.thread(CHANNEL, root)).find(({ ts }) => ts === seen.message.ts);
  expect(given?.reactions.map(({ name, users }) => [name, users])).toEqual([['tada', ['U0BENOKAFO']]]);
  await chat.remove(CHANNEL, 'ada', seen.message.ts);
  await stored.deleteTicketMessage({ params: { id: picture.id } });
  await until('both to go', async () => (await textsIn(world, root)).length === 2, {
    seen: () => textsIn(world, root),
  });
  await bridge.untilIdle();
}

async function directMessageOpensPrivateTicket({ stored, chat }: Strange): Promise<void> {
  const direct = await chat.say('@deskbridge', 'ben', 'my badge is lost');
  const [own] = await until('the private ticket', async () => {
    const tickets = await ticketsOf(stored, 'my badge is lost');
    return tickets.length > 0 ? tickets : undefined;
  });
  expect(own?.private).toBe(true);
  await stored.createTicketMessage({ body: { ticketId: own?.id ?? '', content: 'here is another' } });
  await until('the reply in the direct conversation', async () =>
    (await chat.messages(direct.channel, 'ben')).some(({ text }) => text === 'here is another'),
  );
}

const cardIn = async ({ chat }: Strange, root: string) =>
  JSON.stringify((await chat.thread(CHANNEL, root))[0]?.blocks);

/** Also with values outside of the contract's enumerations. */
async function commandsChangeAndFindTickets(world: Strange, { root, code }: Opened): Promise<void> {
  expect(await answerTo(world, 'mira', `status ${code} done`)).toContain('is now *Done*');
  await until('the card to say so', async () => (await cardIn(world, root)).includes('Done'), {
    seen: () => cardIn(world, root),
  });
  expect(await answerTo(world, 'ada', 'search printer hums')).toContain(code);
}

/** From everyone but its requester, although that service does not filter. */
async function privateTicketIsHidden(world: Strange, { root, id, code }: Opened): Promise<void> {
  await world.stored.updateTicket({ params: { id }, body: { data: { private: true } } });
  await until('the card to hide the ticket', async () =>
    (await cardIn(world, root)).includes('is a private ticket'),
  );
  expect(await answerTo(world, 'ben', `show ${code}`)).toContain('There is no ticket');
  expect(await answerTo(world, 'ben', 'search printer hums')).toContain('Nothing found');
  expect(await answerTo(world, 'ada', `show ${code}`)).toContain('the printer hums');
}

describe('another service', () => {
  test.each(STRANGERS)('a service that %s works for a whole conversation', async (_, strange) => {
    const world = await startStrange(strange);
    const { chat, foreign } = world;
    await chat.post('add-person', { name: 'zoe' });
    await chat.post('join', { channel: CHANNEL, user: 'zoe' });
    const printer = await open(world, 'ada', 'the printer hums');
    await messagesCrossBothWays(world, printer);
    await filesAndReactionsStayOnTheirSide(world, printer);
    await directMessageOpensPrivateTicket(world);
    await commandsChangeAndFindTickets(world, printer);
    await privateTicketIsHidden(world, printer);
    // All of this worked without these operations.
    expect(foreign.unsupportedCalls.map((what) => what.replace(/(?<=\/)\w+_\w+/, '…'))).toEqual(
      expect.arrayContaining([
        'GET /webhooks',
        'POST /users',
        'PUT /ticket-messages/…',
        'PUT /ticket-messages/…/chat-messages',
        'PUT /ticket-messages/…/reactions',
        'PUT /tickets/…/chat-threads',
        'POST /ticket-messages/…/files',
        ...(strange.events === 'id' ? ['GET /ticket-messages/…'] : []),
      ]),
    );
    expect(await chat.thread(CHANNEL, printer.root)).toHaveLength(2);
  });

  test.each(STRANGERS)(
    'B52 a service that %s, where a repeated chat pair is a new record: lost responses and kill -9 duplicate nothing',
    async (_, strange) => {
      const world = await startStrange(strange);
      const { stored, bridge, chat, meet } = world;
      const { bot } = await chat.state();
      // The service repeats events to a bridge that was down only after minutes, so the service is not waited for.
      /** The fault for the next response to this POST; resolves when it has happened. */
      const strike = (how: 'lost' | 'kill -9', what: string) =>
        new Promise<void>((done, failed) => {
          meet(async (point) => {
            if (point.request !== what || point.when !== 'answered') return 'go on';
            meet(async () => 'go on');
            if (how === 'kill -9') await bridge.kill().catch(failed);
            done();
            return 'drop';
          });
        });
      for (const how of ['lost', 'kill -9'] as const) {
        const title = `the coffee machine is ${how.replace(' -', ' ')}`;
        const opening = strike(how, 'POST /api/tickets');
        const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> ${title}`);
        await opening;
        if (how === 'kill -9') await bridge.restart();
        const ticket = await until('the ticket', async () => (await ticketsOf(stored, title))[0]);
        await bridge.untilBridgeIdle();

        const replying = strike(how, 'POST /api/ticket-messages');
        await chat.say(CHANNEL, 'ada', 'please', root);
        await replying;
        // A repeated text is another message; chat continues while the bridge is down.
        for (const text of ['at once', 'please']) await chat.say(CHANNEL, 'ada', text, root);
        if (how === 'kill -9') await bridge.restart();
        await until('the replies', async () => (await contentsOf(stored, ticket.id)).length >= 3, {});
        await stored.createTicketMessage({ body: { ticketId: ticket.id, content: 'on my way' } });
        const inThread = async () => (await chat.thread(CHANNEL, root)).map(({ text }) => text).slice(1);
        await until('the answer', async () => (await inThread()).includes('on my way'));
        await bridge.untilBridgeIdle();
        expect(await ticketsOf(stored, title)).toHaveLength(1);
        // Sorted, since Slack repeats unacknowledged events in any order, and this service accepts no
        // timestamps.
        const said = ['at once', 'on my way', 'please', 'please'];
        expect((await contentsOf(stored, ticket.id)).toSorted()).toEqual(said);
        expect((await inThread()).toSorted()).toEqual(said);
      }
    },
  );
});
