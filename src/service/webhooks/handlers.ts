import { type Selectable, sql, type Updateable } from 'kysely';

import { ID_PREFIXES, LIMITS, type ParsedBody } from '../../contract/index.ts';
import type { Sealing } from '../../platform/sealing.ts';
import type { Caller, Handlers, ServiceTx, Tools } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { inOrder } from '../lists/in-order.ts';
import { booleanKey, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found, ServiceProblem, unprocessable } from '../problem.ts';
import { requireIds } from '../references.ts';
import type { Tables } from '../schema/tables.ts';
import { makerOf } from '../keys/maker.ts';
import { findWebhook, lockWebhook, visibleUrl, visibleWebhooks } from './find.ts';
import { toWebhook, type WebhookRow } from './records.ts';
import { openSecret, sealSecret } from '../delivery/secrets.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('w.created_at'),
    updatedAt: timeKey('w.updated_at'),
    name: textKey('w.name'),
    active: booleanKey('w.active'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'w.id',
} as const;

/** How long events are signed with both the old and the new secret. */
const ROTATION_MS = 24 * 60 * 60 * 1000;

type Names = 'createWebhook' | 'listWebhooks' | 'readWebhook' | 'updateWebhook' | 'deleteWebhook';

export function webhookHandlers({ newId, webhookUrlAllowed, sealing }: Tools): Pick<Handlers, Names> {
  function checkUrl(url: string): void {
    if (!webhookUrlAllowed(url))
      throw unprocessable(
        'url',
        'Webhooks go to public addresses only, unless ALLOW_PRIVATE_WEBHOOKS is set',
      );
  }

  const shown = (caller: Caller, row: WebhookRow) =>
    toWebhook(row, openSecret(sealing, row, row.secret), caller);

  return {
    async createWebhook({ caller, body, now }, tx) {
      checkUrl(body.url);
      // Said by the one who registers it, not told by the key: the bridge's key may make webhooks for other programs.
      const servesChat = body.servesChat ?? false;
      if (servesChat) requireKey(caller);
      await requireRoomForWebhook(tx, caller, servesChat);
      const place = { workspace_id: caller.workspaceId, id: newId(ID_PREFIXES.webhook) };
      const row = await tx
        .insertInto('webhook')
        .values({
          ...place,
          name: body.name ?? null,
          url: body.url,
          secret: sealSecret(sealing, place, body.secret || null),
          active: body.active ?? true,
          event_types: [...new Set(body.eventTypes ?? ['Ticket', 'Message'])],
          key_id: caller.keyId,
          queue_ids: await queuesOfNew(tx, caller, body.queueIds),
          made_by: await makerOf(tx, caller),
          serves_chat: servesChat,
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return shown(caller, row);
    },

    async listWebhooks({ caller, query }, db) {
      let rows = visibleWebhooks(db, caller, listedWorkspaces(caller, query.workspaceId));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('w.id', ids));
      if (query.search) rows = rows.where(contains(['w.name', visibleUrl(caller)], query.search));
      if (query.madeById) rows = rows.where('w.made_by', '=', query.madeById);
      return readPage(caller, await selectPage(rows, ORDER, query), async (listed) => {
        const stored = await visibleWebhooks(db, caller)
          .selectAll('w')
          .where(isOneOf('w.id', listed))
          .execute();
        return inOrder(listed, stored).map((row) => toWebhook(row, null, caller));
      });
    },

    async readWebhook({ caller, params }, db) {
      return shown(caller, await findWebhook(db, caller, params.id));
    },

    async updateWebhook({ caller, params, body, now }, tx) {
      if (body.url) checkUrl(body.url);
      const before = await lockWebhook(tx, caller, params.id);
      if (body.queueIds !== undefined) await requireQueues(tx, caller, before.workspace_id, body.queueIds);
      const isOwn = !before.serves_chat || (await isOfBridge(tx, sealing, caller, before, body));
      if (!isOwn) {
        requireNoRedirection(body);
        if (body.active && !(await validKey(tx, before)))
          throw conflict('The API key of this bridge was revoked: it enables its webhook with a new one.');
      }
      const owner = isOwn && body.active === true ? await ownerAfter(tx, caller, before) : {};
      const keyId = owner.key_id === undefined ? before.key_id : owner.key_id;
      const isMarked = body.servesChat ?? before.serves_chat;
      if (isMarked && !before.serves_chat) {
        if (caller.keyId === null || keyId !== caller.keyId) requireKey();
        await requireRoomForWebhook(tx, caller, true);
      }
      const row = await tx
        .updateTable('webhook')
        .set({
          ...changedColumns(sealing, before, body, now),
          ...activeColumns(body.active),
          ...owner,
          ...(body.queueIds !== undefined && { queue_ids: unique(body.queueIds) }),
          serves_chat: isMarked,
          updated_at: now,
        })
        .where('workspace_id', '=', before.workspace_id)
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirst();
      return shown(caller, found(row));
    },

    async deleteWebhook({ caller, params }, tx) {
      const row = await lockWebhook(tx, caller, params.id);
      await tx
        .deleteFrom('webhook')
        .where('workspace_id', '=', row.workspace_id)
        .where('id', '=', row.id)
        .execute();
      return shown(caller, row);
    },
  };
}

/** A session's webhook would serve chat without a key that could see its secret. */
function requireKey(caller?: Caller): void {
  if (!caller || caller.keyId === null)
    throw new ServiceProblem(
      'FORBIDDEN',
      'Only the API key of a chat program marks its own webhook servesChat.',
    );
}

/**
 * Returns whether an update of a webhook that serves chat comes from the bridge that it serves: with its key; with
 * another key of the bridge, which knows URL and secret; or with a new key of it, after the former one was revoked. The
 * last replaces URL and secret, so it learns nothing of them.
 */
async function isOfBridge(
  tx: ServiceTx,
  sealing: Sealing,
  { keyId, source }: Caller,
  before: WebhookRow,
  { url, secret }: ParsedBody<'updateWebhook'>,
): Promise<boolean> {
  if (keyId === null) return false;
  if (keyId === before.key_id) return true;
  if (!url || !secret) return false;
  if (url === before.url && secret === openSecret(sealing, before, before.secret)) return true;
  return source === 'CHAT' && !(await validKey(tx, before));
}

/** Returns the key of a webhook, which is not revoked before this transaction ends; undefined if it is, or has none. */
async function validKey(
  tx: ServiceTx,
  { workspace_id, key_id }: WebhookRow,
): Promise<Pick<Selectable<Tables['api_key']>, 'made_by'> | undefined> {
  return tx
    .selectFrom('api_key')
    .select('made_by')
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', key_id)
    .where('revoked_at', 'is', null)
    .forShare()
    .executeTakeFirst();
}

/** Throws 403 if an update would lead the events of the bridge elsewhere, or sign them otherwise. */
function requireNoRedirection({
  url,
  secret,
  eventTypes,
  servesChat,
  queueIds,
}: ParsedBody<'updateWebhook'>): void {
  if (url || secret !== undefined || eventTypes || typeof servesChat === 'boolean' || queueIds !== undefined)
    throw new ServiceProblem(
      'FORBIDDEN',
      'This webhook belongs to the bridge: only its own API key changes url, secret, eventTypes, servesChat and queueIds.',
    );
}

/** Returns the queues of a new webhook: those that were said, else those of the key that makes it; null: all. */
async function queuesOfNew(
  tx: ServiceTx,
  caller: Caller,
  said: readonly string[] | null | undefined,
): Promise<string[] | null> {
  if (said === undefined) return queuesOfKey(caller);
  await requireQueues(tx, caller, caller.workspaceId, said);
  return unique(said);
}

const queuesOfKey = ({ queueIds }: Caller) => (queueIds ? [...queueIds] : null);

const unique = (queueIds: readonly string[] | null) => queueIds && [...new Set(queueIds)];

/** Throws 403 unless the caller may choose the queues of a webhook, and 422 for queues that the workspace lacks. */
async function requireQueues(
  tx: ServiceTx,
  { role }: Caller,
  workspaceId: string,
  queueIds: readonly string[] | null,
): Promise<void> {
  if (role !== 'admin')
    throw new ServiceProblem('FORBIDDEN', 'Only admins choose the queues of a webhook. Leave queueIds out.');
  await requireIds(tx, 'queue', workspaceId, queueIds ?? [], 'queueIds');
}

/**
 * Returns the owner of a webhook that a caller enables. A valid key keeps its webhook: it would lose its own, and not
 * see why. Otherwise the caller gets it, because the former owner has left or may leave. What the webhook reads stays,
 * or an admin's would be wider than it was; only a bridge that moves to another key reads what that key does.
 */
async function ownerAfter(
  tx: ServiceTx,
  caller: Caller,
  before: WebhookRow,
): Promise<Updateable<Tables['webhook']>> {
  const key = before.serves_chat ? undefined : await validKey(tx, before);
  if (key) return { made_by: key.made_by };
  const owner = { key_id: caller.keyId, made_by: await makerOf(tx, caller) };
  return before.serves_chat ? { ...owner, queue_ids: queuesOfKey(caller) } : owner;
}

/** Enabling resets its failures, or the next failure would disable it again. */
function activeColumns(active: boolean | null | undefined): Updateable<Tables['webhook']> {
  if (typeof active !== 'boolean') return {};
  const off = { active, deactivated_reason: null };
  return active ? { ...off, failing_since: null, failed_events: 0 } : off;
}

function changedColumns(
  sealing: Sealing,
  before: WebhookRow,
  body: ParsedBody<'updateWebhook'>,
  now: Date,
): Updateable<Tables['webhook']> {
  const known = openSecret(sealing, before, before.secret);
  const secret = body.secret === undefined ? known : body.secret || null;
  return {
    ...(body.url && { url: body.url }),
    ...(body.name !== undefined && { name: body.name }),
    ...(body.eventTypes && { event_types: [...new Set(body.eventTypes)] }),
    ...(secret !== known && {
      secret: sealSecret(sealing, before, secret),
      previous_secret: secret === null ? null : before.secret,
      previous_secret_until: secret === null ? null : new Date(now.getTime() + ROTATION_MS),
    }),
  };
}

/** Throws 422 if the key, or the person of a session, has as many webhooks of this kind as one may have. */
async function requireRoomForWebhook(tx: ServiceTx, caller: Caller, servesChat: boolean): Promise<void> {
  const owner = caller.keyId === null ? 'made_by' : 'key_id';
  const id = caller.keyId ?? caller.personId;
  // Several at once would each find room.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks of ${id ?? ''}`}, 0))`.execute(tx);
  const { count } = await tx
    .selectFrom('webhook')
    .select((column) => column.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', caller.workspaceId)
    .where(owner, '=', id)
    .where('serves_chat', '=', servesChat)
    .executeTakeFirstOrThrow();
  if (count >= LIMITS.webhooksOfOne)
    throw unprocessable(
      'url',
      `One API key or person has at most ${LIMITS.webhooksOfOne} webhooks${servesChat ? ' that serve chat' : ''}. Delete some first`,
    );
}
