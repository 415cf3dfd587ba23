import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { runCommand } from '../harness/run-command.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';
const world = sharedWorld();

async function open(world: World): Promise<{ root: string; id: string; code: string }> {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> the door does not open`);
  const ticket = await ticketAt(world.service, ts);
  await world.untilIdle();
  return { root: ts, id: ticket.id, code: ticket.code };
}

const answersIn = async ({ chat }: World, root: string) =>
  (await chat.thread(CHANNEL, root)).map(({ text }) => text).filter((text) => text.startsWith('answer'));

const refusedOnce = (world: World, error = 'restricted_action') =>
  world.chat.post('faults', {
    // Not the copy in the thread of the team.
    faults: [
      { method: 'chat.postMessage', kind: 'error', error, times: 1, channel: DEMO.channels.itHelp.id },
    ],
  });

describe('an answer that can never be posted', () => {
  test('B54 is reported as an internal note on its ticket and a line in the team’s thread, both with the reason, once', async () => {
    const { root, id, code } = await open(world);
    await refusedOnce(world);
    await world.service.createTicketMessage({ body: { ticketId: id, content: 'answer 1' } });
    await world.untilIdle();
    await refusedOnce(world);
    await runCommand(['dead-letters', 'retry', 'all'], world.environment);
    await world.untilIdle();
    const { items } = await world.service.listTicketMessages({ query: { ticketId: id, private: true } });
    expect(items.map(({ content }) => content)).toEqual([
      'A message of this ticket could not be posted in Slack: chat.postMessage: restricted_action',
    ]);
    const lines = (await world.chat.messages('it-triage')).filter(
      ({ text, metadata }) => text.includes(code) && metadata?.event_payload['card'] === undefined,
    );
    expect(lines.map(({ text }) => text)).toEqual([expect.stringContaining('restricted_action')]);
    expect(lines[0]?.text).not.toContain('answer 1');
    await runCommand(['dead-letters', 'retry', 'all'], world.environment);
    await world.untilIdle();
    expect(await answersIn(world, root)).toEqual(['answer 1']);
  });

  test('B49 takes its edits with it, and leaves nothing open when it is discarded', async () => {
    const { root, id } = await open(world);
    await refusedOnce(world);
    const body = { ticketId: id, content: 'answer 1' };
    const message = await world.service.createTicketMessage({ body });
    await world.untilIdle();
    const edit = (content: string) =>
      world.service.updateTicketMessage({ params: { id: message.id }, body: { content } });
    await edit('answer 1, edited');
    await world.untilIdle();
    const listed = async () => (await runCommand(['dead-letters', 'list'], world.environment)).out;
    expect(await listed()).toContain('2 dead letters.');
    const [first = ''] = (await listed()).split('\t');
    const dropped = await runCommand(['dead-letters', 'discard', first], world.environment);
    expect(dropped.out).toContain('2 discarded');
    await edit('answer 1, edited again');
    await world.service.createTicketMessage({ body: { ticketId: id, content: 'answer 2' } });
    await world.untilIdle();
    expect(await listed()).toContain('No dead letters.');
    expect(await answersIn(world, root)).toEqual(['answer 2']);
  });
});

describe('waiting posts', () => {
  test('B14 nothing that waits is sent after its ticket became private: no post, edit or emoji, and a started post is deleted', async () => {
    const { root, id } = await open(world);
    const setPrivate = (isPrivate: boolean) =>
      world.service.updateTicket({ params: { id }, body: { data: { private: isPrivate } } });
    const becomesPrivate = async () => {
      const worked = () =>
        world.log.filter(({ outcome }) => String(outcome).startsWith('ticket in a place of others'));
      const before = worked().length;
      await setPrivate(true);
      await until('it to be known', () => Promise.resolve(worked().length > before));
    };
    await world.chat.post('faults', {
      faults: [
        // Not the copy in the team's thread, which may be posted first.
        { method: 'chat.postMessage', kind: 'answer_lost', times: 1, channel: DEMO.channels.itHelp.id },
        // The lookup waits until the ticket is private.
        { method: 'conversations.replies', kind: 'rate_limited', retryAfter: 1, times: null },
      ],
    });
    for (const n of [1, 2])
      await world.service.createTicketMessage({ body: { ticketId: id, content: `answer ${n}` } });
    await until('the first to be begun', async () => (await answersIn(world, root)).length === 1);
    await becomesPrivate();
    await world.chat.post('clear-faults', {});
    await world.untilIdle();
    expect(await answersIn(world, root)).toEqual([]);
    await setPrivate(false);
    await world.untilIdle();
    // The one that was begun, and deleted, is posted anew.
    expect(await answersIn(world, root)).toEqual(['answer 1', 'answer 2']);

    const shown = async () =>
      (await world.chat.thread(CHANNEL, root))
        .filter(({ text }) => text.startsWith('answer 2'))
        .map(({ text, reactions }) => ({ text, emoji: reactions.map(({ name }) => name) }));
    const methods = ['chat.update', 'reactions.add'];
    await world.chat.post('faults', {
      faults: methods.map((method) => ({ method, kind: 'http_error', status: 503, times: null })),
    });
    const { items } = await world.service.listTicketMessages({ query: { ticketId: id } });
    const message = items.find(({ content }) => content === 'answer 2');
    const params = { id: message?.id ?? '' };
    await world.service.updateTicketMessage({ params, body: { content: 'answer 2, edited' } });
    const body = { emoji: 'tada', authorId: message?.authorId ?? '' };
    await world.service.addReaction({ params, body });
    await until('both to be tried', async () =>
      (await Promise.all(methods.map((one) => world.chat.faultHits(one)))).every((n) => n > 0),
    );
    await becomesPrivate();
    await world.chat.post('clear-faults', {});
    await world.untilIdle();
    expect(await shown()).toEqual([{ text: 'answer 2', emoji: [] }]);
    await setPrivate(false);
    await world.untilIdle();
    expect(await shown()).toEqual([{ text: 'answer 2, edited', emoji: ['tada'] }]);
  });
});

test('B13 what was put back to be shown again while a hint was stored is not left out, though its ticket is read at once', async () => {
  const { root, id } = await open(world);
  const say = (content: string) => world.service.createTicketMessage({ body: { ticketId: id, content } });
  const first = await say('answer 1');
  await say('answer 2');
  await world.untilIdle();
  const client = new pg.Client(world.environment['DATABASE_URL']);
  await client.connect();
  onTestFinished(async () => {
    await client.query('drop function if exists bridge.put_back cascade');
    await client.end();
  });
  await client.query(`delete from bridge.message_link where ticket_message_id = '${first.id}'`);
  // Between the store of the next hint, which brings its thread, and its work.
  await client.query(`
    create function bridge.put_back() returns trigger language plpgsql as $$
    begin
      update bridge.conversation set applied_until = null where ticket_id = '${id}';
      return null;
    end $$;
    create constraint trigger put_back after insert on bridge.inbox deferrable initially deferred
      for each row when (new.source = 'service') execute function bridge.put_back()`);
  await say('answer 3');
  await world.untilIdle();
  expect(await answersIn(world, root)).toEqual(['answer 1', 'answer 2', 'answer 3']);
  const { rows } = await client.query(
    `select role from bridge.message_link join bridge.conversation on conversation.id = conversation_id
     where ticket_message_id = '${first.id}' order by role`,
  );
  expect(rows).toEqual([{ role: 'request' }, { role: 'triage' }]);
});
