import { hash, randomBytes } from 'node:crypto';

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

import { DEMO } from '../../src/start/demo.ts';
import { callTool, newKey } from '../service/assist/mcp-call.ts';
import { allRead, deskPicture, PHONE, ROOT, signIn, withPrograms } from './picture-programs.ts';

/**
 * `node test/pictures/take-ai-tools.ts` takes the pictures of the page that connects a program, and of the list of those
 * that are connected, and prints what a program does with the tools.
 */
const { mira } = DEMO.people;
const REDIRECT = 'http://127.0.0.1:18999/back';
const SHOW_PROGRAMS = `[...document.querySelectorAll('h2')]
  .find(({ textContent }) => textContent === 'Connected programs').scrollIntoView()`;
const LOOKS = [
  ['', 'light', { width: 1100, height: 760 }],
  ['-dark', 'dark', { width: 1100, height: 760 }],
  ['-phone', 'light', PHONE],
] as const;

await withPrograms(async ({ service, browser }) => {
  const [workspace] = (await service.listWorkspaces({})).items;
  await service.updateWorkspace({
    params: { id: workspace?.id ?? '' },
    body: { settings: { mcpRead: true, mcpWrite: true, mcpSend: true } },
  });
  const asked = await askToConnect('Claude');
  let token = '';
  for (const [name, colorScheme, viewport] of LOOKS)
    await asMira(browser, { colorScheme, viewport }, async (page) => {
      await page.goto(asked.url);
      await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
      await deskPicture(page, `connect${name}`);
      if (name === '') token = await allow(page, asked);
      await page.goto(`${ROOT}/account`);
      await page.getByRole('button', { name: 'Disconnect Claude' }).waitFor();
      await allRead(page);
      await page.evaluate(SHOW_PROGRAMS);
      await deskPicture(page, `connected${name}`);
    });
  await printSession(token);
});

/** A page of the desk's admin, closed afterwards. */
async function asMira(
  browser: Browser,
  options: BrowserContextOptions,
  show: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await signIn(page, `${mira.firstName} ${mira.lastName}`);
  await show(page);
  await context.close();
}

interface Asked {
  url: string;
  clientId: string;
  verifier: string;
}

/** Registers a program. Resolves to the page that it opens for a person. */
async function askToConnect(name: string): Promise<Asked> {
  const answer = await fetch(`${ROOT}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [REDIRECT] }),
  });
  const { client_id: clientId } = (await answer.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  });
  return { url: `${ROOT}/oauth/authorize?${query.toString()}`, clientId, verifier };
}

/** Allows it. Resolves to its token. */
async function allow(page: Page, { clientId, verifier }: Asked): Promise<string> {
  const back = page.waitForRequest((request) => request.url().startsWith(REDIRECT));
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  const code = new URL((await back).url()).searchParams.get('code') ?? '';
  const answer = await fetch(`${ROOT}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return token;
}

/** Finds a ticket, drafts, sends and closes, and prints what was asked and answered. */
async function printSession(token: string): Promise<void> {
  const tool = async (name: string, input: object) => {
    const { output, code } = await callTool({ url: ROOT }, token, name, input);
    console.log(`> ${name} ${JSON.stringify(input)}\n${JSON.stringify(output ?? code)}\n`);
    return output ?? {};
  };
  const { tickets } = await tool('search_tickets', { query: 'vpn', limit: 1 });
  const [found] = tickets as { reference: string }[];
  const ticket = found?.reference;
  const draft = await tool('draft_reply', {
    ticket,
    text: 'Please restart the VPN client.',
    idempotencyKey: newKey(),
  });
  const seen = { draftId: draft['draftId'], version: draft['version'] };
  await tool('send_reply', { ...seen, version: 2, idempotencyKey: newKey() });
  await tool('send_reply', { ...seen, idempotencyKey: newKey() });
  const { choices } = await tool('list_choices', { kind: 'statuses', search: 'Closed' });
  const [closed] = choices as { id: string }[];
  await tool('change_ticket', { ticket, statusId: closed?.id, idempotencyKey: newKey() });
}
