import type pg from 'pg';

import { DEMO } from '../../src/start/demo.ts';
import { until } from '../harness/until.ts';
import type { ProcessWorld, World } from '../harness/world.ts';
import type { Patch } from './harness/patch.ts';

export const CHANNEL = 'it-help';
/** The requester's thread only: the team's thread has a copy of each answer, which might be posted first. */
const POSTS = { method: 'chat.postMessage', channel: DEMO.channels.itHelp.id };

/** Service and sandbox unpatched, a bridge that may be patched, and a conversation. */
export interface Stage {
  service: World['service'];
  chat: World['chat'];
  bridge: ProcessWorld;
  /** The bridge's database. */
  database: pg.Client;
  root: string;
  ticketId: string;
  /** Waits until neither the bridge nor the service has anything left to do. */
  settled: () => Promise<void>;
}

export interface Bug {
  patch: Patch;
  /** The story that reveals the bug; without the bug both sides are the same after it. */
  story: (stage: Stage) => Promise<void>;
  finds: { kind: string; of: RegExp };
  /** Default 2. */
  postsPerSecond?: number;
}

/** Each bug breaks one guarantee of docs/architecture.md in one place. */
export const BUGS: Record<string, Bug> = {
  'an acknowledgement before the event is stored (B46)': {
    patch: {
      file: 'src/bridge/slack/receiver.ts',
      from: 'return { stored: true, body: await intake(body, retry) };',
      // Only for the message to be lost; otherwise every other event would wait as well.
      to: `if (!JSON.stringify(body).includes('that is lost')) return { stored: true, body: await intake(body, retry) };
    AbortSignal.timeout(600_000).onabort = () => void intake(body, retry);
    return { stored: true, body: undefined };`,
    },
    story: async ({ chat, bridge, root }) => {
      // The reconciliation would find the lost message, so chat cannot be read here.
      const faults = ['conversations.replies', 'conversations.history'].map((method) => ({
        method,
        kind: 'error',
        error: 'internal_error',
        times: null,
      }));
      await chat.post('faults', { faults });
      await chat.say(CHANNEL, 'ada', 'the reply that is lost', root);
      await until('chat to have its acknowledgement', async () => (await chat.state()).undelivered === 0);
      await bridge.kill();
      await bridge.restart();
    },
    finds: { kind: 'lost', of: /the reply that is lost/ },
  },
  'work that ends before its write is certain (B52)': {
    patch: {
      file: 'src/bridge/outbox/send.ts',
      from: 'const startedAt = bridge.clock.now().getTime();',
      to: `if (JSON.stringify(row.body).includes('that is given up')) {
    call.make(row.id).catch(() => undefined);
    return endRow(bridge, row, 'sent');
  }
  const startedAt = bridge.clock.now().getTime();`,
    },
    story: async ({ chat, service, ticketId, settled }) => {
      await chat.post('faults', { ...POSTS, kind: 'error', error: 'internal_error' });
      await service.createTicketMessage({ body: { ticketId, content: 'the answer that is given up' } });
      await settled();
    },
    finds: { kind: 'lost', of: /the answer that is given up/ },
  },
  'a process that ends work whose lane it has lost (B53)': {
    patch: {
      file: 'src/platform/engine/lane-run.ts',
      from: `      log.warn(factsOf(stored), 'another process has taken over a lane');`,
      to: `      await this.#ground.database.pool.query(
        \`update work set done_at = clock_timestamp(), outcome = 'ended' where id = \${stored.id}\`,
      );`,
    },
    story: async ({ chat, service, database, ticketId, settled }) => {
      // However slow this machine is, the lane is taken while chat has not answered.
      await chat.post('faults', { ...POSTS, kind: 'hang', times: null });
      await service.createTicketMessage({ body: { ticketId, content: 'the answer of two workers' } });
      // The post is marked before its call is made: one that comes after the silence would be answered.
      await until('chat to have the call', async () => (await chat.faultHits(POSTS.method)) > 0);
      // Another process claims the lane while the first one waits for chat, and dies at once.
      await until('the lane to be another process’s', async () => {
        const { rowCount } = await database.query(
          `update bridge.lane set leased_by = 'another', fence = nextval('bridge.lane_fence'),
            leased_until = clock_timestamp() + interval '4 s'
          where leased_by is not null and exists (
            select from bridge.work join bridge.outbox on outbox.id = work.body ->> 'outbox'
            where work.lane = lane.key and work.kind = 'send' and done_at is null and outbox.state = 'sending'
              and outbox.body ->> 'text' = 'the answer of two workers')`,
        );
        return rowCount === 1;
      });
      await chat.post('clear-faults', {});
      await settled();
    },
    finds: { kind: 'lost', of: /the answer of two workers/ },
  },
  'a post repeated without looking it up (B51)': {
    patch: {
      file: 'src/bridge/outbox/send.ts',
      from: 'if (mayStand && call.lookIn) {',
      to: 'if (mayStand && call.lookIn && !row.id) {',
    },
    story: async ({ chat, service, ticketId }) => {
      await chat.post('faults', { ...POSTS, kind: 'answer_lost' });
      await service.createTicketMessage({ body: { ticketId, content: 'the answer that is doubled' } });
      await until('the answer to be lost', async () => {
        const { calls } = await chat.read<{ calls: { fault?: string }[] }>('calls', {
          method: 'chat.postMessage',
        });
        return calls.some(({ fault }) => fault === 'answer_lost');
      });
    },
    finds: { kind: 'doubled', of: /the answer that is doubled/ },
  },
  'two answers swapped on their way to chat (B13)': {
    patch: {
      file: 'src/bridge/threads/mirror-ticket.ts',
      from: 'dated.toSorted((a, b) => compare(at(a), at(b)))',
      to: 'dated.toSorted((a, b) => compare(at(b), at(a)))',
    },
    story: async ({ service, chat, bridge, root, ticketId }) => {
      await bridge.kill();
      for (const content of ['the first of a pair', 'the second of a pair'])
        await service.createTicketMessage({ body: { ticketId, content } });
      await bridge.restart();
      await until(
        'the pair in chat',
        async () =>
          (await chat.thread(CHANNEL, root)).filter(({ text }) => text.endsWith(' of a pair')).length === 2,
      );
    },
    finds: { kind: 'out of order', of: /the first of a pair/ },
  },
  'an edit that overtakes its post (B13)': {
    patch: {
      file: 'src/bridge/threads/mirror-message.ts',
      from: `await planPosts(tx, bridge, place, bodies);
          for (const`,
      to: `await planPosts(tx, bridge, { ...place, orderingKey: 'edits' }, bodies);
          for (const`,
    },
    story: async ({ chat, service, database, ticketId, settled }) => {
      await chat.post('faults', { ...POSTS, kind: 'hang', times: null });
      const { id } = await service.createTicketMessage({ body: { ticketId, content: 'before the edit' } });
      await until('the post to be in progress', async () => {
        const { rowCount } = await database.query(
          `select from bridge.outbox where state = 'sending' and body ->> 'text' = 'before the edit'`,
        );
        return rowCount === 1;
      });
      await service.updateTicketMessage({ params: { id }, body: { content: 'after the edit' } });
      // However slow this machine is, the post is not through before the edit waits behind it, or has overtaken it.
      await until('the edit to be in the lane of its post, or to have ended', async () => {
        const { rowCount } = await database.query(
          `with sends as (
            select lane, done_at, dead_at, channel_id, outbox.body ->> 'text' as text
            from bridge.work join bridge.outbox on outbox.id = work.body ->> 'outbox'
            where work.kind = 'send')
          select from sends edit join sends post using (channel_id)
          where edit.text = 'after the edit' and post.text = 'before the edit' and channel_id = $1
            and (edit.lane = post.lane or edit.done_at is not null or edit.dead_at is not null)`,
          [POSTS.channel],
        );
        return rowCount === 1;
      });
      await chat.post('clear-faults', {});
      await settled();
    },
    finds: { kind: 'different', of: /after the edit/ },
  },
  'a deletion that is dropped (B13)': {
    patch: {
      file: 'src/bridge/threads/posts.ts',
      from: `await writer.remove(row.channel_id, ts);
      return ts;`,
      to: 'return ts;',
    },
    story: async ({ chat, service, root, ticketId, settled }) => {
      const content = 'the answer that is taken back';
      const { id } = await service.createTicketMessage({ body: { ticketId, content } });
      await until('the answer in chat', async () =>
        (await chat.thread(CHANNEL, root)).some(({ text }) => text === content),
      );
      await service.deleteTicketMessage({ params: { id } });
      await settled();
    },
    // A deleted message has no text.
    finds: { kind: 'not deleted', of: /^IT-\d+ / },
  },
  'an answer that the team’s thread does not show (B14)': {
    patch: {
      file: 'src/bridge/threads/rules.ts',
      from: `if (message.private || teamThread === 'everything') return true;`,
      to: `if (message.private) return true;`,
    },
    story: async ({ service, ticketId, settled }) => {
      await service.createTicketMessage({ body: { ticketId, content: 'try the other socket' } });
      await settled();
    },
    finds: { kind: 'lost', of: /^IT-\d+ / },
  },
  'an internal note in the requester’s thread (B14)': {
    patch: {
      file: 'src/bridge/threads/rules.ts',
      from: `if (!shown) return { do: 'ignore'`,
      to: `if (!shown && !isPrivate) return { do: 'ignore'`,
    },
    story: async ({ service, ticketId, settled }) => {
      const content = 'she has broken three of them already';
      await service.createTicketMessage({ body: { ticketId, content, private: true } });
      await settled();
    },
    finds: { kind: 'leaked', of: /^IT-\d+ / },
  },
  'a post that is recorded under another message’s timestamp (B13)': {
    patch: {
      file: 'src/bridge/threads/posts.ts',
      from: 'await recordPost(tx, bridge, conversation, body.link, ts);',
      to: `const isElsewhere = text.includes('is recorded elsewhere');
      await recordPost(tx, bridge, conversation, body.link, isElsewhere ? conversation.thread_ts : ts);`,
    },
    story: async ({ service, ticketId, settled }) => {
      const content = 'the answer that is recorded elsewhere';
      await service.createTicketMessage({ body: { ticketId, content } });
      await settled();
    },
    finds: { kind: 'recorded elsewhere', of: /the answer that is recorded elsewhere/ },
  },
  'a slot of a rate limit that is not claimed (B48)': {
    patch: {
      file: 'src/bridge/outbox/turn.ts',
      from: 'const gapMsOf = ({ perMinute }: Budget) => 60_000 / perMinute;',
      to: 'const gapMsOf = (_: Budget) => 0;',
    },
    // So few that no machine is too slow to write faster.
    postsPerSecond: 0.2,
    story: async ({ service, ticketId, settled }) => {
      for (let n = 0; n < 10; n++)
        await service.createTicketMessage({ body: { ticketId, content: `one of ten answers: ${n}` } });
      await settled();
    },
    finds: { kind: 'too fast', of: /^T\w+ C\w+$/ },
  },
};
