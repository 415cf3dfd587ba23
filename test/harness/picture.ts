import { Buffer } from 'node:buffer';

import type { World } from './world.ts';

/** A picture of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Has the service serve a picture at a URL, below its base URL, that needs no key. */
export async function servePicture(
  { service, urls }: Pick<World, 'service'> & { urls: { api: string } },
  bytes: Buffer,
): Promise<string> {
  const { items } = await service.listWorkspaces({});
  const { chatBotIconUrl } = await service.updateWorkspace({
    params: { id: items[0]?.id ?? '' },
    body: { chatBotIcon: { base64: bytes.toString('base64'), fileName: 'picture.png' } },
  });
  return `${urls.api}${new URL(chatBotIconUrl ?? '').pathname.replace(/^\/api/, '')}`;
}
