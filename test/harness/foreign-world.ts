import type { Chat } from './chat.ts';
import { type Differences, startForeignService } from './foreign-service.ts';
import { type LocalWorld, startWorld } from './world.ts';
import { bridgeSettings } from './bridge-settings.ts';

export interface ForeignWorld {
  /** The world of the service itself, behind what makes it another one. */
  base: LocalWorld;
  bridge: LocalWorld;
  chat: Chat;
}

/** Starts a bridge beside a service that has another interface in these respects, and knows no extension. */
export async function startForeignWorld(differences: Pick<Differences, 'pairs'>): Promise<ForeignWorld> {
  const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const foreign = await startForeignService(base.urls.root, {
    missing: 404,
    lists: 'items',
    events: 'ticketId',
    ...differences,
  });
  const { chat, urls } = await base.startAlongside(['sandbox']);
  const bridge = await base.startAlongside(['bridge'], {
    SERVICE_URL: `${foreign.url}/api`,
    ...bridgeSettings(urls.sandbox),
  });
  return { base, bridge, chat };
}
