import path from 'node:path';

import type { Client } from '../../src/client/index.ts';
import { DEMO } from '../../src/start/demo.ts';
import type { Chat } from '../harness/chat.ts';
import { continueWithSandbox } from '../browser/open-page.ts';
import { ROOT, withPrograms } from './picture-programs.ts';
import { until } from '../harness/until.ts';

/** `node test/pictures/take-requests.ts` takes the pictures of the requesters' pages again. */
const PICTURES = path.resolve(import.meta.dirname, '../../docs/pictures');
const { ada } = DEMO.people;

await withPrograms(async ({ chat, service, browser }) => {
  const code = await asked(chat, service);
  for (const [name, colorScheme, width, height] of [
    ['requests', 'light', 1200, 760],
    ['requests-dark', 'dark', 1200, 760],
    ['requests-phone', 'light', 390, 780],
  ] as const) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await context.newPage();
    await page.goto(ROOT);
    await continueWithSandbox(page, `${ada.firstName} ${ada.lastName}`);
    await page.locator('[data-code]').first().waitFor();
    if (name === 'requests') await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
    await page.goto(`${ROOT}/requests/${code}`);
    await page.getByText('You’ll usually hear back').waitFor();
    await page.screenshot({ path: path.join(PICTURES, `${name === 'requests' ? 'request' : name}.png`) });
    await context.close();
  }
});

/** A question in chat that nobody has answered yet. Resolves to its ticket's reference. */
async function asked(chat: Chat, service: Client): Promise<string> {
  const { bot } = await chat.state();
  const root = await chat.say('it-help', 'ada', `<@${bot}> My laptop does not charge`);
  const { id, code } = await until(
    'the ticket',
    async () => (await service.listTickets({ query: { chatMessageTs: root.ts } })).items[0],
  );
  await chat.say('it-help', 'ada', 'The light is off, with *both* chargers.', root.ts);
  await until('the reply', async () => {
    const messages = await service.listTicketMessages({ query: { ticketId: id } });
    return messages.items.some(({ content }) => content.includes('both'));
  });
  return code;
}
