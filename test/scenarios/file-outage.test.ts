import { Buffer } from 'node:buffer';

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';

import { createFileClient } from '../../src/client/index.ts';
import { makeDue } from '../harness/make-due.ts';
import { PIXEL } from '../harness/picture.ts';
import { runCommand } from '../harness/run-command.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';
/** What waits for its next attempt; a lane that is being worked has its rows locked in another order. */
const WAITING = `kind in ('send', 'event') and not_before > now()
  and lane in (select key from bridge.lane where wake_at > now() for update skip locked)`;
const world = sharedWorld();

/** A thread with a ticket, and what is done in it while chat's methods for files fail. */
async function openThread() {
  const { chat, service, environment, urls, apiKey, clock } = world;
  const { bot } = await chat.state();
  const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> the scanner is slow`);
  const { id } = await ticketAt(service, root);
  await world.untilIdle();
  const database = new pg.Client({ connectionString: environment['DATABASE_URL'] });
  await database.connect();
  const files = createFileClient({ baseUrl: urls.api, token: apiKey });
  onTestFinished(async () => {
    await chat.post('faults', { clear: true });
    await files.close();
    await database.end();
  });
  const shown = async () =>
    (await chat.thread(CHANNEL, root))
      .filter(({ metadata }) => metadata?.event_payload['card'] === undefined)
      .map(({ text, files: own }) => (own ? `file: ${own.map(({ title }) => title).join()}` : text));
  return {
    root,
    id,
    shown,
    said: async () =>
      (await service.listTicketMessages({ query: { ticketId: id } })).items.map(({ content }) => content),
    fail: (method: string, kind: object) => chat.post('faults', { method, times: null, ...kind }),
    clear: () => chat.post('faults', { clear: true }),
    /** An answer with a file, and one without. */
    answerWithFile: async (name: string) => {
      const bytes = (async function* () {
        yield PIXEL;
      })();
      const { id: fileId } = await files.upload({ ticketId: id, name, bytes });
      return service.createTicketMessage({ body: { ticketId: id, content: 'read this', fileIds: [fileId] } });
    },
    answer: (content: string) => service.createTicketMessage({ body: { ticketId: id, content } }),
    /** Lets some minutes pass, with all their attempts. */
    passUntil: (label: string, check: () => Promise<boolean>) =>
      until(
        label,
        async () => {
          if (await check()) return true;
          clock.pass(15_000);
          await makeDue(database, WAITING);
          return false;
        },
        { seen: shown },
      ),
    /** How often work was tried that is not done. */
    attempts: async () => {
      const { rows } = await database.query<{ attempts: number }>(
        `select max(attempts)::int as attempts from bridge.work where done_at is null and kind = 'send'`,
      );
      return rows[0]?.attempts ?? 0;
    },
  };
}

const noDeadLetters = async () =>
  expect((await runCommand(['dead-letters', 'list'], world.environment)).out).toContain('No dead letters.');

const NOT_SHOWN = 'plan.png could not be shown here: Slack takes no files at the moment.';

test.each([
  ['files.getUploadURLExternal', 'an error of HTTP', { kind: 'http_error', status: 500 }],
  ['files.getUploadURLExternal', 'a web page', { kind: 'html' }],
  ['files.getUploadURLExternal', 'half an answer', { kind: 'half_answer' }],
  ['files.getUploadURLExternal', 'nothing', { kind: 'cut' }],
  ['files.completeUploadExternal', 'an error of HTTP', { kind: 'http_error', status: 503 }],
  ['files.completeUploadExternal', 'a web page', { kind: 'html' }],
  ['files.completeUploadExternal files.info files.delete', 'an error of HTTP', { kind: 'http_error' }],
])(
  'B18 B49 while chat answers %s with %s, but other methods, its words go on after some minutes, and a line names the file',
  async (methods, _, fault) => {
    const thread = await openThread();
    for (const method of methods.split(' ')) await thread.fail(method, fault);
    await thread.answerWithFile('plan.png');
    await thread.answer('written after it');
    await thread.passUntil('the line', async () => (await thread.shown()).includes(NOT_SHOWN));
    expect(await thread.shown()).toEqual(['read this', 'written after it', NOT_SHOWN]);
    await thread.clear();
    await thread.answerWithFile('next.png');
    // What could not be deleted is, too.
    await thread.passUntil('the next file', async () => (await thread.shown()).includes('file: next.png'));
    await thread.passUntil('the end', async () => (await thread.attempts()) === 0);
    await world.untilIdle();
    expect((await thread.shown()).slice(3)).toEqual(['read this', 'file: next.png']);
    await noDeadLetters();
  },
);

test('B18 B51 a file that chat shows is there once, though no method for files is answered afterwards', async () => {
  const thread = await openThread();
  await thread.fail('files.completeUploadExternal', { kind: 'half_answer' });
  await thread.fail('files.info', { kind: 'http_error', status: 500 });
  await thread.answerWithFile('plan.png');
  await thread.answer('written after it');
  await thread.passUntil('the answer', async () => (await thread.shown()).includes('written after it'));
  await thread.clear();
  await world.untilIdle();
  expect(await thread.shown()).toEqual(['read this', 'file: plan.png', 'written after it']);
  await noDeadLetters();
});

test('B18 while chat as a whole does not answer, no file is given up: it is shown when chat is back, in its place', async () => {
  const thread = await openThread();
  // The words were sent before.
  for (const method of ['files.getUploadURLExternal', 'auth.test'])
    await thread.fail(method, { kind: 'http_error', status: 503 });
  await thread.answerWithFile('plan.png');
  await thread.answer('written after it');
  await thread.passUntil('many attempts', async () => (await thread.attempts()) >= 15);
  expect(await thread.shown()).toEqual(['read this']);
  await thread.clear();
  await thread.passUntil('the answer', async () => (await thread.shown()).includes('written after it'));
  await world.untilIdle();
  expect(await thread.shown()).toEqual(['read this', 'file: plan.png', 'written after it']);
});

test('B18 a file that cannot be deleted from chat keeps no words waiting, and is deleted once it can be', async () => {
  const thread = await openThread();
  const { id } = await thread.answerWithFile('plan.png');
  await world.untilIdle();
  const [file] = (await world.chat.thread(CHANNEL, thread.root)).flatMap(({ files = [] }) => files);
  const bytes = async () => (await fetch(`${world.urls.sandbox}/_control/files/${file?.id ?? ''}`)).status;
  expect(await bytes()).toBe(200);
  await thread.fail('files.delete', { kind: 'http_error', status: 500 });
  await world.service.deleteTicketMessage({ params: { id } });
  await until('the messages to go', async () => (await thread.shown()).length === 0);
  await thread.answer('written after it');
  await until('the answer', async () => (await thread.shown()).includes('written after it'));
  expect(await thread.attempts()).toBeLessThan(10);
  expect(await bytes()).toBe(200);
  await thread.clear();
  await thread.passUntil('the file to be deleted', async () => (await bytes()) === 404);
  await world.untilIdle();
});

test.each([
  ['an error of HTTP', { kind: 'http_error', status: 500 }],
  ['a web page', { kind: 'html' }],
  ['an error of its own', { kind: 'error', error: 'internal_error' }],
])(
  'B18 while chat answers what it is asked of a file with %s, its message is on the ticket after some minutes',
  async (_, fault) => {
    const thread = await openThread();
    await thread.fail('files.info', fault);
    await world.chat.post('upload', {
      channel: CHANNEL,
      user: 'ada',
      text: 'it looks so',
      thread_ts: thread.root,
      // Of a file without a name the message says too little.
      files: [{ name: '\u200B', content: Buffer.from(PIXEL).toString('base64') }],
    });
    await world.chat.say(CHANNEL, 'ada', 'and it is loud', thread.root);
    await thread.passUntil('both messages', async () => (await thread.said()).length === 2);
    const [first, second] = await thread.said();
    expect(first).toMatch(/^it looks so\n\n/);
    expect(second).toBe('and it is loud');
    await thread.clear();
    await world.untilIdle();
    await noDeadLetters();
  },
);
