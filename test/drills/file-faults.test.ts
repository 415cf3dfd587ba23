import { createHash } from 'node:crypto';

import { expect, test } from 'vitest';

import { assertHistory } from '../harness/history-of.ts';
import { PIXEL, servePicture } from '../harness/picture.ts';
import type { TapAction, TapPoint } from '../harness/tap.ts';
import { ticketAt } from '../harness/ticket.ts';
import { startTappedBridge } from './harness/tapped-bridge.ts';

const CHANNEL = 'it-help';

/** What may happen to a request that carries a file or shares it. A service whose disk is full answers 500, too. */
const FAULTS: Record<string, [TapPoint['when'], TapAction]> = {
  'connection cut': ['arrived', 'drop'],
  'server error': ['arrived', 'fail'],
  'answer lost': ['answered', 'drop'],
};
/** Only the service's answer has a hash to compare with. */
const TO_TICKET: typeof FAULTS = { ...FAULTS, 'bytes changed': ['arrived', 'spoil'] };

test(
  'B18 F18 whatever happens to a file on its way to the ticket or to chat, it is there once, with its bytes, after its text',
  { timeout: 300_000 },
  async () => {
    const world = await startTappedBridge();
    const { chat, service } = world;
    const { bot } = await chat.state();
    const { ts: root } = await chat.say(CHANNEL, 'ada', `<@${bot}> the map is wrong`);
    const { id } = await ticketAt(service, root);
    await world.untilBridgeIdle();
    const onTicket: string[][] = [];
    for (const [name, [when, action]] of Object.entries(TO_TICKET)) {
      const interfered = world.interfereWhere(
        (point) => point.when === when && /^POST \/api\/tickets\/[^/]+\/files$/.test(point.request),
        action,
      );
      const content = Buffer.concat([PIXEL, Buffer.alloc(50_000, name)]);
      await chat.post('upload', {
        ...{ channel: CHANNEL, user: 'ada', text: name, thread_ts: root },
        files: [{ name: `${name}.png`, content: content.toString('base64') }],
      });
      expect(await interfered).toMatchObject({ when });
      await world.untilBridgeIdle();
      onTicket.push([`${name}.png`, createHash('sha256').update(content).digest('hex')]);
    }
    const { items: files } = await service.listTicketFiles({ params: { id } });
    expect(files.map(({ name, hash }) => [name, hash])).toEqual(onTicket);
    const { items: messages } = await service.listTicketMessages({ query: { ticketId: id } });
    expect(messages.map((message) => message.files?.map(({ name }) => name))).toEqual(
      onTicket.map(([name]) => [name]),
    );

    const picture = await servePicture({ service, urls: { api: world.serviceUrl } }, PIXEL);
    const inChat: string[] = Object.keys(TO_TICKET).map((name) => `file: ${name}.png`);
    for (const [name, [when, action]] of Object.entries(FAULTS)) {
      const interfered = world.interfereWhere(
        (point) => point.when === when && point.request === 'POST /api/files.completeUploadExternal',
        action,
      );
      await service.createTicketMessage({
        body: { ticketId: id, content: `see ![${name}](${picture})` },
      });
      expect(await interfered).toMatchObject({ when });
      await world.untilBridgeIdle();
      inChat.push(`see ${name}`, `file: ${name}`);
    }
    const shown = (await chat.thread(CHANNEL, root))
      .filter(({ metadata }) => metadata?.event_payload['card'] === undefined)
      .map(({ text, files: shared }) =>
        shared ? `file: ${shared.map(({ title }) => title).join(', ')}` : text,
      );
    expect(shown).toEqual(inChat);
    console.info(
      `file faults: ${files.length} to the ticket, ${Object.keys(FAULTS).length} to chat; lost 0, doubled 0`,
    );
    await assertHistory(world);
  },
);
