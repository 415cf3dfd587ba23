import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';

import { z } from 'zod';

const Secrets = z.object({ serviceApiToken: z.string().min(16) });
export type Secrets = z.infer<typeof Secrets>;

/**
 * The key between bridge and embedded service, made on the first start and kept in `DATA_DIR/secrets.json` (readable
 * by this user only), because the service itself stores nothing but its hash.
 */
export async function ownSecrets(dataDir: string): Promise<Secrets> {
  const file = path.join(dataDir, 'secrets.json');
  await mkdir(dataDir, { recursive: true });
  const made: Secrets = { serviceApiToken: `dbk_${unguessable()}` };
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(`${JSON.stringify(made, undefined, 2)}\n`);
    await handle.sync();
    await handle.close();
    return made;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return Secrets.parse(JSON.parse(await readFile(file, 'utf8')));
}

/** 43 characters of 256 random bits. */
export function unguessable(): string {
  return randomBytes(32).toString('base64url');
}
