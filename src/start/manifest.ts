import { readFile } from 'node:fs/promises';

/** Returns manifest.yml, the Slack app's manifest. */
export async function manifestText(): Promise<string> {
  return readFile(new URL('../../manifest.yml', import.meta.url), 'utf8');
}

/** Returns the manifest's bot scopes: the plain list below `bot:`. */
export async function botScopes(): Promise<string[]> {
  const list = /^ *bot:\n((?: *- .+\n)+)/m.exec(await manifestText())?.[1] ?? '';
  return [...list.matchAll(/- (.+)$/gm)].map(([, scope = '']) => scope);
}
