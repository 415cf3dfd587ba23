import { expect, test } from 'vitest';

import { sharedWorld } from '../harness/world.ts';
import { until } from '../harness/until.ts';
import { callTool, newKey } from '../service/assist/mcp-call.ts';
import { axeFindings, useBrowser } from './browser.ts';
import { demoRecords } from './demo-records.ts';
import { signedInPage } from './open-page.ts';
import { openSettingsAsAdmin } from './open-settings.ts';

const browser = useBrowser();
const world = sharedWorld();
const { newTicket } = demoRecords(world);

test('an admin switches the AI tools on at the desk, and a reply that one drafts is seen on the open ticket, as are its changes, sent once, and on the ticket', async () => {
  const ticket = await newTicket('The toner is empty');
  const draft = (text: string) =>
    callTool({ url: world.urls.api }, world.apiKey, 'draft_reply', {
      ticket: ticket.code,
      text,
      idempotencyKey: newKey(),
    });
  expect((await draft('Too early')).code).toBe('FORBIDDEN');
  const { page, problems } = await openSettingsAsAdmin(browser, world, 'agents');
  const tools = page.getByRole('region', { name: 'AI tools' });
  for (const name of ['AI tools may read', 'AI tools may write']) {
    await tools.getByText(new RegExp(`^${name}`)).click();
    await until('the switch to be stored', async () => {
      const [workspace] = (await world.service.listWorkspaces({})).items;
      const settings = workspace?.settings;
      return name.endsWith('read') ? settings?.mcpRead : settings?.mcpWrite;
    });
  }
  expect(await axeFindings(page)).toEqual([]);
  expect(problems).toEqual([]);

  const desk = await signedInPage(browser, world);
  await desk.page.goto(`${world.urls.root}/tickets/${ticket.code}`);
  await desk.page.getByRole('region', { name: 'Conversation' }).waitFor();
  const drafts = desk.page.getByRole('region', { name: 'Drafted replies' });
  expect((await draft('A new toner comes.')).code).toBeUndefined();
  await drafts.getByText('A new toner comes.').waitFor();
  const { items: written } = await world.service.listReplyDrafts({ params: { id: ticket.id } });
  await world.service.updateReplyDraft({
    params: { id: written[0]?.id ?? '' },
    body: { content: 'A new **toner** is on its way.', version: 1 },
  });
  await drafts.getByText('A new toner is on its way.').waitFor();
  expect(await axeFindings(desk.page)).toEqual([]);
  await drafts.getByRole('button', { name: 'Send to the requester' }).click();
  await drafts.waitFor({ state: 'detached' });
  await desk.page.locator('li[data-kind]').filter({ hasText: 'A new toner is on its way.' }).waitFor();
  const { items } = await world.service.listTicketMessages({ query: { ticketId: ticket.id } });
  expect(items.map(({ content }) => content)).toEqual(['A new **toner** is on its way.']);
  expect(desk.problems).toEqual([]);
});
