import type { Insertable, Selectable } from 'kysely';

import type { Db } from '../../../platform/database/open.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import type { Bridge } from '../../bridge.ts';
import type { Hooks } from '../../hooks.ts';
import { LIMITS } from '../../slack/limits.ts';
import { featureKind, planPosts } from '../../store/posts.ts';
import { locationOf } from '../../store/conversations.ts';
import { attachmentDigest } from '../../store/attachments.ts';
import { linkMessage, linkToPost } from '../../store/links.ts';
import { isTakenBack } from '../../threads/rules.ts';
import type { BridgeTx } from '../../work.ts';

/** A file of a ticket message, with the link of the chat message that shows it. */
export type Upload = Selectable<BridgeTables['upload']>;

export async function uploadOf(db: Db<BridgeTables>, linkId: string): Promise<Upload | undefined> {
  return db.selectFrom('upload').selectAll().where('link_id', '=', linkId).executeTakeFirst();
}

/** Records a file; an existing record for the link stays unchanged. */
export async function recordUpload(tx: BridgeTx, upload: Insertable<BridgeTables['upload']>): Promise<void> {
  await tx
    .insertInto('upload')
    .values(upload)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Records Slack's id of a file before Slack is asked to share it; that of a faster process stays. */
export async function claimUpload(db: Db<BridgeTables>, linkId: string, fileId: string): Promise<void> {
  await db
    .updateTable('upload')
    .set({ file_id: fileId })
    .where('link_id', '=', linkId)
    .where('file_id', 'is', null)
    .execute();
}

export async function setUpload(
  db: Db<BridgeTables>,
  linkId: string,
  values: Partial<Pick<Insertable<BridgeTables['upload']>, 'requested_at' | 'accepted_at' | 'attempts'>>,
): Promise<void> {
  await db.updateTable('upload').set(values).where('link_id', '=', linkId).execute();
}

/**
 * Plans the changes of a ticket message's files (B18): new files are sent after the text, and removed ones are
 * deleted. The links are those of all its files, including deleted ones.
 */
export async function planFiles(
  tx: BridgeTx,
  bridge: Bridge,
  { conversation, message, attachments, as, links }: Parameters<Hooks['messageMirrored']>[1],
): Promise<void> {
  const standing = links.filter((link) => !isTakenBack(link));
  const ids = standing.map(({ id }) => id);
  const uploads =
    ids.length === 0 ? [] : await tx.selectFrom('upload').selectAll().where('link_id', 'in', ids).execute();
  const digest = attachmentDigest(conversation, message);
  const some = attachments.slice(0, LIMITS.filesOfMessage);
  const place = locationOf(conversation);
  const known = new Map(uploads.map((upload) => [upload.link_id, upload.url]));
  const wanted = new Set(some.map(({ url }) => url));
  for (const { id, deleted } of standing) {
    const url = known.get(id);
    // A file restored by rebuild has no URL: it stays as long as its message.
    const gone = url !== undefined && url !== '' && !wanted.has(url);
    if (!deleted && gone) await planPosts(tx, bridge, place, [{ kind: 'delete', link: id }]);
    await tx
      .updateTable('message_link')
      .set({ version: message.updatedAt, digest, ...(gone ? { deleted: true } : {}) })
      .where('id', '=', id)
      .execute();
  }
  const there = new Set(known.values());
  let part = Math.max(-1, ...links.map((link) => link.part));
  for (const { url, alt, bytes } of some) {
    if (there.has(url) || there.has('')) continue;
    part += 1;
    const link = linkToPost(bridge, conversation, message, { kind: 'file', part });
    await linkMessage(tx, link);
    await recordUpload(tx, { link_id: link.id, url, alt, bytes: bytes ?? null });
    await planPosts(tx, bridge, place, [{ kind: featureKind('file'), link: link.id, as }]);
  }
}
