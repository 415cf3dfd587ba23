import fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';

import { HttpReceiver } from '../../../src/bridge/slack/http-receiver.ts';
import { EVENTS_PATH } from '../../../src/bridge/paths.ts';
import type { Intake } from '../../../src/bridge/slack/receiver.ts';
import { createBridgeMetrics } from '../../../src/bridge/metrics.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createRegistry } from '../../../src/platform/metrics.ts';
import { signSlack } from '../../../src/platform/signatures.ts';

const SECRET = 'a-signing-secret-of-the-tests';
const NOW = Date.UTC(2026, 0, 5, 9, 0, 0);
const EVENT = { type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event: { type: 'message' } };

interface Receiver {
  receiver: HttpReceiver;
  post(request: Posted): Promise<{ status: number; text: string }>;
  /** How often the receiver reported that storing works again. */
  reconnections: number;
}

interface Posted {
  body: string;
  type?: string;
  /** Clock skew of the request in seconds. */
  skew?: number;
  secret?: string;
  headers?: Record<string, string>;
}

async function openReceiver(intake: Intake): Promise<Receiver> {
  const app: FastifyInstance = fastify();
  const receiving: Receiver = {
    receiver: new HttpReceiver({
      signingSecret: SECRET,
      intake,
      reconnected: () => (receiving.reconnections += 1),
      clock: { now: () => new Date(NOW) },
      log: createLog({ level: 'silent', pretty: false }),
      metrics: createBridgeMetrics(createRegistry()),
    }),
    reconnections: 0,
    async post({ body, type = 'application/json', skew = 0, secret = SECRET, headers = {} }) {
      const timestamp = String(NOW / 1000 + skew);
      const { statusCode, payload } = await app.inject({
        method: 'POST',
        url: EVENTS_PATH,
        headers: {
          'content-type': type,
          'x-slack-request-timestamp': timestamp,
          'x-slack-signature': signSlack(timestamp, Buffer.from(body), secret),
          ...headers,
        },
        payload: body,
      });
      return { status: statusCode, text: payload };
    },
  };
  await app.register(receiving.receiver.plugin);
  onTestFinished(() => app.close());
  return receiving;
}

/** Accepts and records everything. */
function taking(): {
  intake: Intake;
  taken: { body: unknown; attempt: number; reason: string | undefined }[];
} {
  const taken: { body: unknown; attempt: number; reason: string | undefined }[] = [];
  const intake: Intake = async (body, retry) => {
    taken.push({ body, ...retry });
    return undefined;
  };
  return { taken, intake };
}

const away: Intake = async () => {
  throw new Error('the database is away');
};
const form = 'application/x-www-form-urlencoded';
const typed = new URLSearchParams({ command: '/ticket', text: 'show IT-1 & more' }).toString();

describe('authentication', () => {
  test.each([
    ['301 seconds old', { skew: -301 }],
    ['301 seconds ahead of our clock', { skew: 301 }],
    ['signed with another secret', { secret: 'another-signing-secret' }],
    ['without a signature', { headers: { 'x-slack-signature': '' } }],
    [
      'with the signature of another body',
      { headers: { 'x-slack-signature': signSlack('1', Buffer.from('x'), SECRET) } },
    ],
    ['with an invalid timestamp', { headers: { 'x-slack-request-timestamp': 'now' } }],
  ])('a request %s is rejected with 401 and not stored', async (_, how) => {
    const { intake, taken } = taking();
    const receiving = await openReceiver(intake);
    expect((await receiving.post({ body: JSON.stringify(EVENT), ...how })).status).toBe(401);
    expect(taken).toEqual([]);
  });

  test.each([-300, 0, 300])('a request with a clock skew of %i seconds is accepted', async (skew) => {
    const { intake, taken } = taking();
    const receiving = await openReceiver(intake);
    expect((await receiving.post({ body: JSON.stringify(EVENT), skew })).status).toBe(200);
    expect(taken).toMatchObject([{ body: EVENT }]);
  });

  test('the challenge is only answered for a valid signature', async () => {
    const { intake, taken } = taking();
    const receiving = await openReceiver(intake);
    const body = JSON.stringify({ type: 'url_verification', challenge: 'abc' });
    expect(await receiving.post({ body })).toEqual({ status: 200, text: 'abc' });
    expect((await receiving.post({ body, secret: 'another-signing-secret' })).text).not.toContain('abc');
    expect(taken).toEqual([]);
  });
});

describe('requests', () => {
  test('events, commands and interactions reach the intake as in Socket Mode', async () => {
    const { intake, taken } = taking();
    const receiving = await openReceiver(intake);
    const press = { type: 'block_actions', trigger_id: '1.2.3', actions: [{ action_id: 'go' }] };
    await receiving.post({ body: JSON.stringify(EVENT), type: 'application/json; charset=utf-8' });
    await receiving.post({ body: typed, type: form });
    await receiving.post({
      body: new URLSearchParams({ payload: JSON.stringify(press) }).toString(),
      type: form,
    });
    expect(taken.map(({ body }) => body)).toEqual([
      EVENT,
      { command: '/ticket', text: 'show IT-1 & more' },
      press,
    ]);
  });

  test('a repeated delivery is accepted like the first, with its retry number and reason', async () => {
    const { intake, taken } = taking();
    const receiving = await openReceiver(intake);
    const headers = { 'x-slack-retry-num': '2', 'x-slack-retry-reason': 'http_timeout' };
    expect((await receiving.post({ body: JSON.stringify(EVENT), headers })).status).toBe(200);
    expect(taken).toEqual([{ body: EVENT, attempt: 2, reason: 'http_timeout' }]);
  });

  test.each([
    ['JSON', '{', 'application/json'],
    ['an object', '[1]', 'application/json'],
    ['an interaction', 'payload=%7B', form],
  ])('a signed body that is not %s is rejected with 400', async (_, body, type) => {
    const { intake, taken } = taking();
    const receiving = await openReceiver(intake);
    expect((await receiving.post({ body, type })).status).toBe(400);
    expect(taken).toEqual([]);
  });

  test('a certificate check is answered and not stored', async () => {
    const { intake, taken } = taking();
    const receiving = await openReceiver(intake);
    expect((await receiving.post({ body: 'ssl_check=1&token=x', type: form })).status).toBe(200);
    expect(taken).toEqual([]);
  });
});

/** Bodies of two megabytes that are large in one way each: Slack sends none of them. */
const BYTES = 2 * 1024 * 1024 - 1_000;
const EXCESSIVE: Record<string, string> = {
  'deep arrays': '['.repeat(BYTES / 2) + ']'.repeat(BYTES / 2),
  'deep objects': `${'{"a":'.repeat(BYTES / 6 - 1)}1${'}'.repeat(BYTES / 6 - 1)}`,
  'a little too deep': '['.repeat(65) + ']'.repeat(65),
  numbers: `[${'0,'.repeat(BYTES / 2 - 2)}0]`,
  objects: `[${'{},'.repeat(BYTES / 3 - 2)}{}]`,
  'arrays behind an escaped quote': `["\\"",${'[],'.repeat(BYTES / 3 - 4)}[]]`,
  keys: `{${Array.from({ length: 60_000 }, (_, at) => `"${at}":0`).join()}}`,
  'only its beginning': '{"a":"',
};

test.each(Object.entries(EXCESSIVE))(
  'a body that Slack does not send is refused before it is worked on: %s',
  async (_, excess) => {
    const { intake, taken } = taking();
    const receiving = await openReceiver(intake);
    const event = JSON.stringify({ ...EVENT, event: 0 }).replace('"event":0', `"event":${excess}`);
    const window = new URLSearchParams({ payload: `{"type":"view_submission","view":${excess}}` });
    const answers = [
      await receiving.post({ body: event }),
      await receiving.post({ body: window.toString(), type: 'application/x-www-form-urlencoded' }),
    ];
    expect(answers.map(({ status }) => status).every((status) => status === 400 || status === 413)).toBe(
      true,
    );
    expect(taken).toEqual([]);
  },
);

test('quotes, brackets and commas within texts count for nothing', async () => {
  const { intake, taken } = taking();
  const receiving = await openReceiver(intake);
  const text = '[{,"\\'.repeat(60_000);
  expect(
    (await receiving.post({ body: JSON.stringify({ ...EVENT, event: { type: 'message', text } }) })).status,
  ).toBe(200);
  expect(taken).toHaveLength(1);
});

test('of large bodies, whose signatures are not known yet, sixteen are read at once; Slack repeats the others', async () => {
  const gate = Promise.withResolvers<undefined>();
  const receiver = await openReceiver(() => gate.promise);
  const large = JSON.stringify({ ...EVENT, text: 'a'.repeat(150_000) });
  const waiting = Array.from({ length: 16 }, () => receiver.post({ body: large }));
  expect((await receiver.post({ body: large })).status).toBe(503);
  const small = receiver.post({ body: JSON.stringify(EVENT) });
  gate.resolve(undefined);
  expect((await Promise.all([...waiting, small])).map(({ status }) => status)).toEqual(
    Array.from({ length: 17 }, () => 200),
  );
  expect((await receiver.post({ body: large })).status).toBe(200);
});

describe('storing before answering', () => {
  test('the response is sent after the request is stored', async () => {
    const storing = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    const receiving = await openReceiver(async () => {
      begun.resolve(undefined);
      await storing.promise;
    });
    const order: string[] = [];
    const answer = receiving
      .post({ body: JSON.stringify(EVENT) })
      .then(({ status }) => order.push(`answered ${status}`));
    await begun.promise;
    order.push('stored');
    storing.resolve(undefined);
    await answer;
    expect(order).toEqual(['stored', 'answered 200']);
  });

  test('a request that could not be stored gets 503, so that Slack repeats it; a command’s user gets a message', async () => {
    const receiving = await openReceiver(away);
    expect((await receiving.post({ body: JSON.stringify(EVENT) })).status).toBe(503);
    const command = await receiving.post({ body: typed, type: form });
    expect(command.status).toBe(200);
    expect(JSON.parse(command.text)).toMatchObject({
      text: expect.stringContaining('nothing changed') as string,
    });
  });

  test('a hanging intake gets 503 before Slack’s timeout', async () => {
    const receiving = await openReceiver(() => new Promise(() => undefined));
    const answers = await Promise.all([
      receiving.post({ body: JSON.stringify(EVENT) }),
      // The command may still be stored, so its user is not told that nothing was changed.
      receiving.post({ body: typed, type: form }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  });

  test('when storing works again after a failure, missed changes are requested once', async () => {
    let broken = true;
    const receiving = await openReceiver(async (...arrived) => (broken ? away(...arrived) : undefined));
    await receiving.post({ body: JSON.stringify(EVENT) });
    expect(receiving.reconnections).toBe(0);
    broken = false;
    await receiving.post({ body: JSON.stringify(EVENT) });
    await receiving.post({ body: JSON.stringify(EVENT) });
    expect(receiving.reconnections).toBe(1);
  });

  test('after the stop no request is accepted, and the stop waits for requests being stored', async () => {
    const storing = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    const receiving = await openReceiver(async () => {
      begun.resolve(undefined);
      await storing.promise;
    });
    const first = receiving.post({ body: JSON.stringify(EVENT) });
    await begun.promise;
    const order: string[] = [];
    const stopped = receiving.receiver.stop().then(() => order.push('stopped'));
    expect((await receiving.post({ body: JSON.stringify(EVENT) })).status).toBe(503);
    order.push('stored');
    storing.resolve(undefined);
    await Promise.all([stopped, first]);
    expect(order).toEqual(['stored', 'stopped']);
    expect((await first).status).toBe(200);
  });
});
