import { createHash } from 'node:crypto';

import type { FastifyReply } from 'fastify';

import { NOT_FOUND, sendProblem } from '../../platform/http/index.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import { unprocessable } from '../problem.ts';
import { imageType } from './image-type.ts';

/** The path of a workspace's picture, below the base URL; a new picture has a new path. */
export const ICON_ROUTE = '/workspaces/:id/icon/:hash';
export interface IconParams {
  Params: { id: string; hash: string };
}

export function iconPath(workspaceId: string, hash: string): string {
  return `/workspaces/${encodeURIComponent(workspaceId)}/icon/${hash}`;
}

/** Stores the picture of the workspace's bot, or removes it if null; undefined leaves it unchanged. */
export async function writeIcon(
  tx: ServiceTx,
  workspaceId: string,
  icon: { base64: string; fileName: string } | null | undefined,
  now: Date,
): Promise<void> {
  if (icon === undefined) return;
  if (icon === null) {
    await tx.deleteFrom('workspace_icon').where('workspace_id', '=', workspaceId).execute();
    return;
  }
  const content = Buffer.from(icon.base64, 'base64');
  const mediaType = imageType(content);
  if (mediaType === undefined)
    throw unprocessable('chatBotIcon.base64', 'Expected a PNG, JPEG, GIF or WebP picture');
  const values = {
    hash: createHash('sha256').update(content).digest('hex').slice(0, 32),
    media_type: mediaType,
    file_name: icon.fileName,
    content,
    updated_at: now,
  };
  await tx
    .insertInto('workspace_icon')
    .values({ workspace_id: workspaceId, ...values })
    .onConflict((stored) => stored.column('workspace_id').doUpdateSet(values))
    .execute();
}

const A_YEAR_S = 365 * 24 * 60 * 60;

/** Sends the picture, cacheable forever, with a policy that prevents scripts in it. */
export async function sendIcon(
  db: ServiceDb,
  { id, hash }: IconParams['Params'],
  reply: FastifyReply,
): Promise<FastifyReply> {
  // Postgres texts cannot contain NUL.
  const icon = /\0/.test(id + hash)
    ? undefined
    : await db
        .selectFrom('workspace_icon')
        .select(['media_type', 'content'])
        .where('workspace_id', '=', id)
        .where('hash', '=', hash)
        .executeTakeFirst();
  if (!icon) return sendProblem(reply, NOT_FOUND);
  return reply
    .headers({
      'cache-control': `public, max-age=${A_YEAR_S}, immutable`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    })
    .type(icon.media_type)
    .send(icon.content);
}
