import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { z } from 'zod';

import { StartError } from './platform/lifecycle.ts';

const Secrets = z.object({ serviceApiToken: z.string().min(16) });
export type Secrets = z.infer<typeof Secrets>;

/**
 * The key between bridge and embedded service, made on the first start and kept in `DATA_DIR/secrets.json` (readable
 * by this user only), because the service itself stores nothing but its hash.
 */
export async function ownSecrets(dataDir: string): Promise<Secrets> {
  const file = path.join(dataDir, 'secrets.json');
  await mkdir(dataDir, { recursive: true });
  const known = await readSecrets(file);
  if (known) return known;
  // Written whole beside it, then linked: a crash leaves no half file, and of two that start together one wins.
  const draft = `${file}.${unguessable().slice(0, 8)}`;
  const made: Secrets = { serviceApiToken: `dbk_${unguessable()}` };
  try {
    await writeFile(draft, `${JSON.stringify(made, undefined, 2)}\n`, { mode: 0o600, flush: true });
    await link(draft, file);
    return made;
  } catch (error) {
    const winner = await readSecrets(file);
    if (winner) return winner;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Undefined where there is no file; one that cannot be read is a person's to look at. */
async function readSecrets(file: string): Promise<Secrets | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return Secrets.parse(JSON.parse(text));
  } catch (error) {
    throw new StartError(`${file} cannot be read. Restore it, or remove it: a new API key is made then.`, {
      cause: error,
    });
  }
}

/** 43 characters of 256 random bits. */
export function unguessable(): string {
  return randomBytes(32).toString('base64url');
}
