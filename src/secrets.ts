import { createHmac, randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { z } from 'zod';

import type { Config } from './config.ts';
import { makeDirectory } from './platform/directory.ts';
import { StartError } from './platform/lifecycle.ts';

const Secrets = z.object({ serviceApiToken: z.string().min(16) });
type Secrets = z.infer<typeof Secrets>;

const Installation = z.object({ id: z.string().min(16) });

const EncryptionKey = z.object({ encryptionKey: z.base64url().length(43) });

/**
 * The key between bridge and embedded service, made on the first start and kept in `DATA_DIR/secrets.json` (readable
 * by this user only), because the service itself stores nothing but its hash.
 */
export async function ownSecrets(dataDir: string): Promise<Secrets> {
  return madeOnce(
    {
      dataDir,
      name: 'secrets.json',
      setting: 'SERVICE_API_TOKEN',
      remedy: 'Restore it, or remove it: a new API key is made then, and the former one is revoked.',
    },
    Secrets,
    () => ({ serviceApiToken: `dbk_${unguessable()}` }),
  );
}

/**
 * What the data directory is known by, made on the first start and kept in `DATA_DIR/installation.json`: where
 * `secrets.json` was removed, the service revokes the key that it held.
 */
export async function dataDirectoryId(dataDir: string): Promise<string> {
  const file = {
    dataDir,
    name: 'installation.json',
    setting: 'SERVICE_API_TOKEN',
    remedy: 'Restore it, or remove it: a new one is made then.',
  };
  return (await madeOnce(file, Installation, () => ({ id: unguessable() }))).id;
}

/**
 * The key that seals what the service's database must keep readable to us (32 bytes), made on the first start and kept
 * in `DATA_DIR/encryption-key.json`: apart from the API key, which may be thrown away, while without this one the sealed
 * secrets are lost.
 */
async function ownEncryptionKey(dataDir: string): Promise<Buffer> {
  const { encryptionKey } = await madeOnce(
    {
      dataDir,
      name: 'encryption-key.json',
      setting: 'TOKEN_ENCRYPTION_KEY',
      remedy: 'Restore it: the secrets in the database were sealed with it.',
    },
    EncryptionKey,
    () => ({ encryptionKey: unguessable() }),
  );
  return Buffer.from(encryptionKey, 'base64url');
}

/** What seals secrets in the database: the given keys, the newest first, or the one that is kept in the data directory. */
export async function encryptionKeys({
  TOKEN_ENCRYPTION_KEY,
  DATA_DIR,
}: Pick<Config, 'TOKEN_ENCRYPTION_KEY' | 'DATA_DIR'>): Promise<readonly Buffer[]> {
  return TOKEN_ENCRYPTION_KEY ?? [await ownEncryptionKey(DATA_DIR)];
}

/** What the link has to bear by which a chat workspace installs the app: the same for all replicas, and kept nowhere. */
export function installKeyOf(stateSecret: string): string {
  return createHmac('sha256', stateSecret).update('deskbridge install link').digest('base64url');
}

interface SecretFile {
  dataDir: string;
  name: string;
  /** What is given in its place. */
  setting: string;
  /** What a person does about one that cannot be read. */
  remedy: string;
}

/** What a file of the data directory holds; made where there is none. */
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
  // Written whole beside it, then linked: a crash leaves no half file, and of two that start together one wins.
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
      `Point DATA_DIR at a directory of yours, or set ${setting}.`,
    { cause: error },
  );
}

/** Undefined where there is no file; one that cannot be read is a person's to look at. */
async function readSecret<Content>(
  file: string,
  { remedy }: SecretFile,
  schema: z.ZodType<Content>,
): Promise<Content | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new StartError(`${file} cannot be read. ${remedy}`, { cause: error });
  }
}

/** 43 characters of 256 random bits. */
export function unguessable(): string {
  return randomBytes(32).toString('base64url');
}
