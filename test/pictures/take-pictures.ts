import path from 'node:path';

import type { Browser } from 'playwright-core';

import type { Client } from '../../src/client/index.ts';
import type { Chat } from '../harness/chat.ts';
import { API, KEY, SANDBOX, withPrograms } from './picture-programs.ts';
import { until } from '../harness/until.ts';

/**
 * `node test/pictures/take-pictures.ts` takes the README's picture again, of running programs; it needs an
 * emoji font.
 */
const PICTURE = path.resolve(import.meta.dirname, '../../docs/pictures/thread.png');
const CHANNEL = 'it-help';

await withPrograms(async ({ chat, service, browser }) => {
  const code = await talk(chat, service, await drawWindow(browser));
  await show(browser, code);
});

/**
 * A conversation with formatting, an edit, a file, and a reaction from each side. Resolves to its ticket's
 * reference.
 */
async function talk(chat: Chat, service: Client, picture: Buffer): Promise<string> {
  const { bot } = await chat.state();
  const { items: agents } = await service.listUsers({ query: { email: 'mira@acme.example' } });
  const authorId = agents[0]?.id ?? '';
  const root = await chat.say(CHANNEL, 'ada', `<@${bot}> my laptop does not charge`);
  const { id, code } = await until(
    'the ticket',
    async () => (await service.listTickets({ query: { chatMessageTs: root.ts } })).items[0],
  );
  const answer = async (content: string) => {
    await service.createTicketMessage({ body: { ticketId: id, authorId, content } });
    return until('the answer', async () =>
      (await chat.thread(CHANNEL, root.ts)).find(({ text }) => text.startsWith(content.slice(0, 10))),
    );
  };
  await answer(
    'Two things to look at:\n\n1. is the **light** beside the port on?\n2. what does `powercfg /batteryreport` say?',
  );
  const { message } = await chat.post<{ message: { ts: string } }>('upload', {
    channel: CHANNEL,
    user: 'ada',
    thread_ts: root.ts,
    text: 'The light is off. I see this:',
    files: [{ name: 'battery.png', content: picture.toString('base64') }],
  });
  await chat.edit(CHANNEL, 'ada', message.ts, 'The light is *off with both chargers*. I see this:');
  const onTicket = await until('it on the ticket', async () => {
    const { items } = await service.listTicketMessages({ query: { ticketId: id } });
    return items.find(({ content }) => content.includes('both chargers'));
  });
  await service.addReaction({ params: { id: onTicket.id }, body: { emoji: '+1', authorId } });
  const last = await answer('A new one waits for you in ~~room 4~~ room 7.');
  await chat.react(CHANNEL, 'ada', last.ts, 'tada');
  await until('both reactions on both sides', async () => {
    const { items } = await service.listTicketMessages({ query: { ticketId: id } });
    const thread = await chat.thread(CHANNEL, root.ts);
    const given = (all: readonly { reactions: unknown[] }[]) =>
      all.filter(({ reactions }) => reactions.length > 0).length;
    return given(items) === 2 && given(thread) === 2;
  });
  return code;
}

/** The content of the file. */
async function drawWindow(on: Browser): Promise<Buffer> {
  const page = await on.newPage({ viewport: { width: 360, height: 120 } });
  await page.setContent(`
    <body style="margin: 0; background: #10243e; color: #fff; font: 16px sans-serif">
      <p style="margin: 28px 24px 8px; font-size: 26px">4 %</p>
      <p style="margin: 0 24px">Plugged in, not charging</p>`);
  const picture = await page.screenshot();
  await page.close();
  return picture;
}

/** The thread in the sandbox's page, next to the ticket as the API returns it. */
async function show(on: Browser, code: string): Promise<void> {
  const page = await on.newPage({ viewport: { width: 1240, height: 1080 } });
  await page.goto(SANDBOX);
  await page
    .getByRole('button', { name: /^\d+ repl/ })
    .last()
    .click();
  const thread = page.getByRole('complementary', { name: 'Thread' });
  await thread.getByText('room 7').waitFor();
  const inChat = (await thread.screenshot()).toString('base64');
  const fields = '{source, status, content, reactions: [.reactions[].emoji]}';
  const answer = await fetch(`${API}/ticket-messages?ticketId=${code}`, {
    headers: { 'x-service-api-token': KEY },
  });
  const { items } = (await answer.json()) as {
    items: { source: string; status: string; content: string; reactions: { emoji: string }[] }[];
  };
  const shown = items.map(({ source, status, content, reactions }) =>
    JSON.stringify({ source, status, content, reactions: reactions.map(({ emoji }) => emoji) }, undefined, 2),
  );
  const words = `$ curl -s "…/api/ticket-messages?ticketId=${code}" |\n    jq '.items[] | ${fields}'\n\n${shown.join('\n')}`;
  // A separate page, because the sandbox's only allows its own styles.
  const beside = await on.newPage({ viewport: { width: 1040, height: 1080 } });
  await beside.setContent(`
    <body style="margin: 0; display: flex; background: #fff">
      <img src="data:image/png;base64,${inChat}">
      <pre style="flex: 1; margin: 0; padding: 24px; background: #1d2129; color: #e6e8eb; white-space: pre-wrap;
        overflow-wrap: anywhere; font: 13px/1.5 monospace">${words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`);
  await beside.screenshot({ path: PICTURE });
}
