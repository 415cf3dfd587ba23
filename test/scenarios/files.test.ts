import { Buffer } from 'node:buffer';

import { expect, test } from 'vitest';

import { PIXEL, servePicture } from '../harness/picture.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';

const CHANNEL = 'it-help';

async function open(world: World): Promise<{ root: string; id: string }> {
  const { bot } = await world.chat.state();
  const { ts } = await world.chat.say(CHANNEL, 'ada', `<@${bot}> the door does not open`);
  const ticket = await ticketAt(world.service, ts);
  await world.untilIdle();
  return { root: ts, id: ticket.id };
}

/** The contents of the thread apart from the card: texts, and names of files. */
async function shown(world: World, root: string): Promise<string[]> {
  return (await world.chat.thread(CHANNEL, root))
    .filter(({ metadata }) => metadata?.event_payload['card'] === undefined)
    .map(({ text, files }) =>
      files ? `file: ${files.map(({ title, mode }) => title ?? mode).join(', ')}` : text,
    );
}

async function said({ service }: World, id: string): Promise<string[]> {
  return (await service.listTicketMessages({ query: { ticketId: id } })).items.map(({ content }) => content);
}

test(
  'B18 files cross: from chat as links with name, type and size, to chat as one upload after its text; failures are named',
  { timeout: 240_000 },
  async () => {
    const world = await startWorld({ CHAT_FILE_MEGABYTES: '1' });
    const { chat, service, urls } = world;
    const { root, id } = await open(world);

    // From chat: the page behind chat's login, never the URL of the bytes.
    await chat.post('upload', {
      channel: CHANNEL,
      user: 'ada',
      text: 'look',
      thread_ts: root,
      files: [{ name: 'door.png', content: PIXEL.toString('base64') }],
    });
    await until('the file on the ticket', async () => (await said(world, id)).length === 1);
    const [first = ''] = await said(world, id);
    expect(first).toMatch(
      /^look\n\n\[door\.png\]\(<https:\/\/acme\.slack\.com\/files\/U0ADAREYES\/F\w+\/door\.png>\) \(image\/png, 1 kB\)$/,
    );

    // To chat: the text, then the file, each once, and nothing comes back.
    const large = await servePicture(world, Buffer.concat([PIXEL, Buffer.alloc(1_200_000)]));
    const tooLarge = await service.createTicketMessage({
      body: { ticketId: id, content: `a plan ![of the house](${large})` },
    });
    await world.untilIdle();
    expect(await shown(world, root)).toEqual([
      'file: door.png',
      'a plan of the house',
      'of the house could not be shown here: it is larger than 1.0 MB.',
    ]);
    await service.deleteTicketMessage({ params: { id: tooLarge.id } });
    const small = await servePicture(world, PIXEL);
    // Chat's response is lost twice: the file is looked up, and neither requested nor shown again.
    await chat.post('faults', {
      faults: [{ method: 'files.completeUploadExternal', kind: 'answer_lost', times: 1 }],
    });
    const answer = await service.createTicketMessage({
      body: { ticketId: id, content: `turn it ![like this](${small}) please` },
    });
    await world.untilIdle();
    expect(await shown(world, root)).toEqual([
      'file: door.png',
      'turn it like this please',
      'file: like this',
    ]);
    const [, , upload] = (await chat.thread(CHANNEL, root)).filter(
      ({ metadata }) => metadata?.event_payload['card'] === undefined,
    );
    expect(upload).toMatchObject({ subtype: 'file_share', user: (await chat.state()).bot });
    expect(await said(world, id)).toEqual([first, '', `turn it ![like this](${small}) please`]);
    const { chatMessages } = await service.readTicketMessage({ params: { id: answer.id } });
    expect(chatMessages.map(({ ts }) => ts)).toContain(upload?.ts);

    // Images at forbidden or broken URLs keep the text and are named.
    await service.createTicketMessage({
      body: {
        ticketId: id,
        content: `see ![health](${urls.root}/healthz) ![gone](${small}0) ![page](${urls.api.replace('/api', '/api/../docs')})`,
      },
    });
    await world.untilIdle();
    expect((await shown(world, root)).slice(3)).toEqual([
      'see health gone page',
      'health could not be shown here: its address may not be called (the address is not public).',
      'gone could not be shown here: its address answers with 404.',
      'page could not be shown here: its address may not be called (the address is not public).',
    ]);

    // An edit that removes the image removes the file.
    await service.updateTicketMessage({ params: { id: answer.id }, body: { content: 'turn it twice' } });
    await world.untilIdle();
    expect((await shown(world, root)).slice(0, 3)).toEqual([
      'file: door.png',
      'turn it twice',
      'see health gone page',
    ]);
    const [file] = upload?.files ?? [];
    expect((await fetch(`${urls.sandbox}/_control/files/${file?.id ?? ''}`)).status).toBe(404);
  },
);
