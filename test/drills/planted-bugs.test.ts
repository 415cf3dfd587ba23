import { describe, expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { checkHistory } from '../harness/history.ts';
import { historyOf } from '../harness/history-of.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { type ProcessWorld, startProcess, startWorld, type World } from '../harness/world.ts';
import { type Patch, patchedLauncher } from './patched.ts';

const CHANNEL = 'it-help';

/** Service and sandbox as they are, a bridge that may be patched, and a conversation. */
interface Stage {
  service: World['service'];
  chat: World['chat'];
  bridge: ProcessWorld;
  root: string;
  ticketId: string;
}

interface Bug {
  patch: Patch;
  /** What brings it to light; without the bug both sides are the same after it. */
  story: (stage: Stage) => Promise<void>;
  finds: { kind: string; of: RegExp };
}

const BUGS: Record<string, Bug> = {
  'an acknowledgement before the event is stored (B46)': {
    patch: {
      file: 'src/bridge/slack/receiver.ts',
      from: 'return { stored: true, body: await intake(body, retry) };',
      // For what is to be lost alone, or every other event would be waited for.
      to: `if (!JSON.stringify(body).includes('that is lost')) return { stored: true, body: await intake(body, retry) };
    AbortSignal.timeout(60_000).onabort = () => void intake(body, retry);
    return { stored: true, body: undefined };`,
    },
    story: async ({ chat, bridge, root }) => {
      // Whoever compares both sides would find what was lost; here chat cannot be read.
      const faults = ['conversations.replies', 'conversations.history'].map((method) => ({
        ...{ method, kind: 'error', error: 'internal_error', times: null },
      }));
      await chat.post('faults', { faults });
      await chat.say(CHANNEL, 'ada', 'the reply that is lost', root);
      await until('chat to have its acknowledgement', async () => (await chat.state()).undelivered === 0);
      await bridge.kill();
      await bridge.restart();
    },
    finds: { kind: 'lost', of: /the reply that is lost/ },
  },
  'a post that is made again without looking for it (B51)': {
    patch: {
      file: 'src/bridge/outbox/send.ts',
      from: `if (row.state === 'sending' && call.lookIn) {`,
      to: `if (row.state === 'sending' && call.lookIn && !row.id) {`,
    },
    story: async ({ chat, service, ticketId }) => {
      await chat.post('faults', { method: 'chat.postMessage', kind: 'answer_lost' });
      await service.createTicketMessage({ body: { ticketId, content: 'the answer that is doubled' } });
      await until('the answer to be lost', async () => {
        const { calls } = await chat.look<{ calls: { fault?: string }[] }>('calls', {
          method: 'chat.postMessage',
        });
        return calls.some(({ fault }) => fault === 'answer_lost');
      });
    },
    finds: { kind: 'doubled', of: /the answer that is doubled/ },
  },
  'a pair that is swapped on its way to chat (B13)': {
    patch: {
      file: 'src/bridge/threads/mirror-ticket.ts',
      from: 'writes.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));',
      to: 'writes.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));',
    },
    story: async ({ service, chat, bridge, root, ticketId }) => {
      await bridge.kill();
      for (const content of ['the first of a pair', 'the second of a pair'])
        await service.createTicketMessage({ body: { ticketId, content } });
      await bridge.restart();
      await until(
        'the pair in chat',
        async () =>
          (await chat.thread(CHANNEL, root)).filter(({ text }) => / of a pair$/.test(text)).length === 2,
      );
    },
    finds: { kind: 'out of order', of: /the first of a pair/ },
  },
};

describe('the history checker finds bugs that are planted in the bridge', () => {
  test.each(Object.entries(BUGS))(
    '%s',
    async (_, { patch, story, finds }) => {
      expect(await violationsAfter(story, [])).toEqual([]);
      expect(await violationsAfter(story, [patch])).toEqual([
        expect.objectContaining({ kind: finds.kind, of: expect.stringMatching(finds.of) as string }),
      ]);
    },
    300_000,
  );
});

/** What is wrong after a story, played on a bridge with these changes. */
async function violationsAfter(story: Bug['story'], patches: readonly Patch[]) {
  const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const sandbox = await base.beside(['sandbox']);
  const bridge = await startProcess(
    {
      SERVICE_URL: base.urls.api,
      SERVICE_WEBHOOK_SECRET: 'a-webhook-secret-of-the-drills',
      SLACK_API_URL: `${sandbox.urls.sandbox}/api`,
      SLACK_BOT_TOKEN: DEMO.app.botToken,
      SLACK_APP_TOKEN: DEMO.app.appToken,
    },
    ['bridge'],
    // Without a change the checkout's own, which is built already.
    patches.length > 0 ? await patchedLauncher(patches) : undefined,
  );
  const { service } = base;
  const { chat } = sandbox;
  const { ts: root } = await chat.say(
    CHANNEL,
    'ada',
    `<@${(await chat.state()).bot}> my laptop does not start`,
  );
  const { id: ticketId } = await ticketAt(service, root);
  await bridge.idle();
  await story({ service, chat, bridge, root, ticketId });
  // What crosses last has everything before it behind it, in either direction.
  const said = await chat.say(CHANNEL, 'ada', 'the last reply', root);
  await service.createTicketMessage({ body: { ticketId, content: 'the last answer' } });
  await until('the last reply on the ticket', async () =>
    (await service.listTicketMessages({ query: { ticketId } })).items.some(({ chatMessages }) =>
      chatMessages.some(({ ts }) => ts === said.ts),
    ),
  );
  await until('the last answer in chat', async () =>
    (await chat.thread(CHANNEL, root)).some(({ text }) => text === 'the last answer'),
  );
  await bridge.idle();
  const { chat: inChat, tickets } = await historyOf({ chat, service, environment: bridge.environment });
  return checkHistory(inChat, tickets);
}
