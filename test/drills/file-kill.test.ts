import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import { assertHistory } from '../harness/history-of.ts';
import { PIXEL, servePicture } from '../harness/picture.ts';
import { seeded } from '../harness/seeded.ts';
import type { TapPoint } from '../harness/tap.ts';
import { ticketAt } from '../harness/ticket.ts';
import { LONG, SEED } from './drill.ts';
import { startTappedBridge } from './harness/tapped-bridge.ts';

const CHANNEL = 'it-help';

type Step = [TapPoint['when'], string];
/**
 * Steps after which it is unknown whether Slack got the request to share the file: the recovery must neither
 * lose nor repeat it.
 */
const UNKNOWN: Step[] = [
  ['answered', 'POST /api/files.completeUploadExternal'],
  ['arrived', 'POST /api/files.completeUploadExternal'],
];
/** The steps of a long run. */
const ALL: Step[] = [
  ['answered', 'GET /api/workspaces/'],
  ['answered', 'POST /api/files.getUploadURLExternal'],
  ...UNKNOWN,
  ['arrived', 'POST /api/files.info'],
];
/** A short run draws one of two; over many runs both are tried. */
const STEPS = LONG ? ALL : UNKNOWN.filter((_, at) => at === Math.floor(seeded(SEED)() * UNKNOWN.length));

test(
  'B18 F2 the bridge is killed at a step of a file upload to chat: the file is shown once, after its text, and none is lost',
  { timeout: 300_000 },
  async () => {
    console.info(`file-kill: seed ${SEED}; ${STEPS.map((step) => step.join(' ')).join(', ')}`);
    const world = await startTappedBridge();
    const { chat, service, bridge } = world;
    const { bot } = await chat.state();
    const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> the map is wrong`);
    const { id } = await ticketAt(service, root);
    await world.untilBridgeIdle();
    const picture = await servePicture({ service, urls: { api: world.serviceUrl } }, PIXEL);
    const expected: string[] = [];
    for (const [at, [when, what]] of STEPS.entries()) {
      const kill = world.killWhere((point) => point.when === when && point.request.startsWith(what));
      await service.createTicketMessage({
        body: { ticketId: id, content: `map ${at} ![m${at}](${picture})` },
      });
      expect(await kill).toMatchObject({ when });
      await bridge.restart();
      await world.untilBridgeIdle();
      expected.push(`map ${at} m${at}`, `file: m${at}`);
    }
    const shown = (await chat.thread(CHANNEL, root))
      .filter(({ metadata }) => metadata?.event_payload['card'] === undefined)
      .map(({ text, files }) => (files ? `file: ${files.map(({ title }) => title).join(', ')}` : text));
    expect(shown).toEqual(expected);
    await assertHistory(world);
  },
);

/** Steps of a copy from chat to the ticket: before the service has it, and before the bridge knows that it has. */
const TO_TICKET: TapPoint['when'][] = ['arrived', 'answered'];

test(
  'B18 F2 the bridge is killed at a step of a file copy to the ticket: each file is there once, with its bytes',
  { timeout: 300_000 },
  async () => {
    const world = await startTappedBridge();
    const { chat, service, bridge } = world;
    const { bot } = await chat.state();
    const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> the map is wrong`);
    const { id } = await ticketAt(service, root);
    await world.untilBridgeIdle();
    const expected: string[][] = [];
    for (const when of TO_TICKET) {
      const kill = world.killWhere(
        (point) => point.when === when && /^POST \/api\/tickets\/[^/]+\/files$/.test(point.request),
      );
      const content = Buffer.concat([PIXEL, Buffer.from(when)]);
      await chat.post('upload', {
        ...{ channel: CHANNEL, user: 'ada', text: when, thread_ts: root },
        files: [{ name: `${when}.png`, content: content.toString('base64') }],
      });
      expect(await kill).toMatchObject({ when });
      await bridge.restart();
      await world.untilBridgeIdle();
      expected.push([`${when}.png`, createHash('sha256').update(content).digest('hex')]);
    }
    const { items: files } = await service.listTicketFiles({ params: { id } });
    expect(files.map(({ name, hash }) => [name, hash])).toEqual(expected);
    const { items: messages } = await service.listTicketMessages({ query: { ticketId: id } });
    expect(messages.map((message) => message.files?.map(({ name }) => name))).toEqual(
      expected.map(([name]) => [name]),
    );
    await assertHistory(world);
  },
);
