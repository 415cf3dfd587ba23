import { readFile } from 'node:fs/promises';

/** manifest.yml, what the Slack app is made from. */
export async function manifestText(): Promise<string> {
  return readFile(new URL('../manifest.yml', import.meta.url), 'utf8');
}

/** The bot scopes that it asks for: the list of plain lines under `bot:`, as we write it. */
export async function botScopes(): Promise<string[]> {
  const list = /^ *bot:\n((?: *- .+\n)+)/m.exec(await manifestText())?.[1] ?? '';
  return [...list.matchAll(/- (.+)$/gm)].map(([, scope = '']) => scope);
}
