import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

import { startTap } from './tap.ts';
import { type LocalWorld, startWorld } from './world.ts';

/** A service that rejects some calls, with 422 and the words *not today*, and a bridge that uses it. */
export async function startRefusing(
  refused: (what: string) => boolean,
): Promise<{ world: LocalWorld; bridge: LocalWorld }> {
  const world = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const refusing = createServer((_, answer) =>
    answer.writeHead(422, { 'content-type': 'application/json' }).end('{"message":"not today"}'),
  ).listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  onTestFinished(() => {
    refusing.closeAllConnections();
    refusing.close();
  });
  const refusals = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
  const tap = await startTap('service', world.urls.root, async ({ request, when }) => {
    if (when === 'arrived') tap.target = refused(request) ? refusals : world.urls.root;
    return 'go on';
  });
  const bridge = await world.startAlongside(['start'], {
    SERVICE_URL: `${tap.url}/api`,
    CHAT_WAITING_SECONDS: '1',
  });
  return { world, bridge };
}
