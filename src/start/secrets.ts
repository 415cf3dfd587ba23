import { createHmac, randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { z } from 'zod';

import type { Config } from './config.ts';
import { makeDirectory } from '../platform/directory.ts';
import { StartError } from '../platform/lifecycle.ts';

const Secrets = z.object({ serviceApiToken: z.string().min(16) });
type Secrets = z.infer<typeof Secrets>;

const Installation = z.object({ id: z.string().min(16) });

const EncryptionKey = z.object({ encryptionKey: z.base64url().length(43) });

/**
 * The key between bridge and embedded service, created on the first start and stored in `DATA_DIR/secrets.json`
 * (readable by this user only), because the service itself stores only its hash.
 */
export async function ownSecrets(dataDir: string): Promise<Secrets> {
  return madeOnce(
    {
      dataDir,
      name: 'secrets.json',
      setting: 'SERVICE_API_TOKEN',
      remedy: 'Restore it, or remove it: then a new API key is created and the old one revoked.',
    },
    Secrets,
    () => ({ serviceApiToken: `dbk_${unguessable()}` }),
  );
}

/**
 * The id of the data directory, created on the first start and stored in `DATA_DIR/installation.json`: if
 * `secrets.json` was removed, the service revokes the key that it contained.
 */
export async function dataDirectoryId(dataDir: string): Promise<string> {
  const file = {
    dataDir,
    name: 'installation.json',
    setting: 'SERVICE_API_TOKEN',
    remedy: 'Restore it, or remove it: then a new one is created.',
  };
  return (await madeOnce(file, Installation, () => ({ id: unguessable() }))).id;
}

/**
 * The key that encrypts secrets in the service's database (32 bytes), created on the first start and stored in
 * `DATA_DIR/encryption-key.json`: separate from the API key, which may be discarded, while without this one the
 * encrypted secrets are lost.
 */
async function ownEncryptionKey(dataDir: string): Promise<Buffer> {
  const { encryptionKey } = await madeOnce(
    {
      dataDir,
      name: 'encryption-key.json',
      setting: 'TOKEN_ENCRYPTION_KEY',
      remedy: 'Restore it: it decrypts the secrets in the database.',
    },
    EncryptionKey,
    () => ({ encryptionKey: unguessable() }),
  );
  return Buffer.from(encryptionKey, 'base64url');
}

/**
 * Returns the keys that encrypt secrets in the database: the configured keys, newest first, or the one in the data
 * directory.
 */
export async function encryptionKeys({
  TOKEN_ENCRYPTION_KEY,
  DATA_DIR,
}: Pick<Config, 'TOKEN_ENCRYPTION_KEY' | 'DATA_DIR'>): Promise<readonly Buffer[]> {
  return TOKEN_ENCRYPTION_KEY ?? [await ownEncryptionKey(DATA_DIR)];
}

/**
 * Returns the key in the link by which a Slack workspace installs the app: the same for all replicas, and not stored.
 */
export function installKeyOf(stateSecret: string): string {
  return createHmac('sha256', stateSecret).update('deskbridge install link').digest('base64url');
}

interface SecretFile {
  dataDir: string;
  name: string;
  /** The setting that can replace it. */
  setting: string;
  /** What to do if it cannot be read. */
  remedy: string;
}

/** Returns the contents of a file in the data directory; creates it if it is missing. */
async function madeOnce<Content>(
  secretFile: SecretFile,
  schema: z.ZodType<Content>,
  make: () => Content,
): Promise<Content> {
  const { dataDir, name } = secretFile;
  const file = path.join(dataDir, name);
  await makeDirectory(dataDir).catch((error: unknown) => {
    throw notWritten(secretFile, error);
  });
  const known = await readSecret(file, secretFile, schema);
  if (known) return known;
  // Written completely next to its place, then linked: a crash leaves no partial file, and if two processes start
  // together, one wins.
  const draft = `${file}.${unguessable().slice(0, 8)}`;
  const made = make();
  try {
    await writeFile(draft, `${JSON.stringify(made, undefined, 2)}\n`, { mode: 0o600, flush: true });
    await link(draft, file);
    return made;
  } catch (error) {
    const winner = await readSecret(file, secretFile, schema);
    if (winner) return winner;
    throw notWritten(secretFile, error);
  } finally {
    await rm(draft, { force: true });
  }
}

function notWritten({ dataDir, name, setting }: SecretFile, error: unknown): StartError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StartError(
    `${name} cannot be written in the data directory ${dataDir} (${reason}). ` +
      `Set DATA_DIR to a directory you own, or set ${setting}.`,
    { cause: error },
  );
}

/** Returns undefined if there is no file; an unreadable one needs a person. */
async function readSecret<Content>(
  file: string,
  { remedy }: SecretFile,
  schema: z.ZodType<Content>,
): Promise<Content | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    if (code === 'ENOENT') return undefined;
    throw new StartError(
      `${file} cannot be read (${code}). It must be readable for the user that deskbridge runs as.`,
      { cause: error },
    );
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new StartError(`${file} cannot be read. ${remedy}`, { cause: error });
  }
}

/** Returns 43 characters of 256 random bits. */
export function unguessable(): string {
  return randomBytes(32).toString('base64url');
}
