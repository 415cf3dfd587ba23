import { expect } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import type { World } from './world.ts';

/** Deletes a post of the bot, as an admin of the workspace may. */
export async function removePost({ urls }: World, channel: string, ts: string): Promise<void> {
  const answer = await fetch(`${urls.sandbox}/api/chat.delete`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${DEMO.app.botToken}` },
    body: JSON.stringify({ channel, ts }),
  });
  expect(await answer.json()).toMatchObject({ ok: true });
}
