import { sql } from 'kysely';

import { transaction } from '../../platform/database/open.ts';
import { renewingSecrets, type Sealing } from '../../platform/sealing.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import type { WebhookRow } from '../webhooks/records.ts';

type Place = Pick<WebhookRow, 'workspace_id' | 'id'>;

const SAMPLE = 'the key that opens this opens every secret here';
const SAMPLE_PLACE = 'sealing';

/** Returns a webhook's secret as stored: it must be readable for signing, but not from the database alone. */
export function sealSecret(sealing: Sealing, webhook: Place, secret: string | null): string | null {
  return secret === null ? null : sealing.seal(secret, sealingPlace(webhook));
}

/** Decrypts a stored secret. */
export function openSecret(sealing: Sealing, webhook: Place, stored: string | null): string | null {
  return stored === null ? null : sealing.open(stored, sealingPlace(webhook));
}

/**
 * At the start: encrypts with the newest key what an older one encrypted.
 * @throws StartError where something was sealed with a key that we were not given.
 */
export async function sealStoredSecrets(db: ServiceDb, sealing: Sealing): Promise<void> {
  await renewingSecrets(() =>
    transaction(db, async (tx) => {
      // Serializes processes that start together.
      await sql`select pg_advisory_xact_lock(hashtextextended('sealing', 0))`.execute(tx);
      await sealSample(tx, sealing);
      const rows = await tx
        .selectFrom('webhook')
        .select(['workspace_id', 'id', 'secret', 'previous_secret'])
        .where((where) =>
          where.or([where('secret', 'is not', null), where('previous_secret', 'is not', null)]),
        )
        .orderBy('id')
        .forNoKeyUpdate()
        .execute();
      for (const row of rows) {
        const renewed = (stored: string | null) => stored && sealing.renew(stored, sealingPlace(row));
        const secret = renewed(row.secret);
        const previous_secret = renewed(row.previous_secret);
        if (secret === row.secret && previous_secret === row.previous_secret) continue;
        await tx
          .updateTable('webhook')
          .set({ secret, previous_secret })
          .where('workspace_id', '=', row.workspace_id)
          .where('id', '=', row.id)
          .execute();
      }
    }),
  );
}

async function sealSample(tx: ServiceTx, sealing: Sealing): Promise<void> {
  const row = await tx.selectFrom('encryption_check').select('sample').executeTakeFirst();
  const sample = row ? sealing.renew(row.sample, SAMPLE_PLACE) : sealing.seal(SAMPLE, SAMPLE_PLACE);
  if (sample === row?.sample) return;
  await tx
    .insertInto('encryption_check')
    .values({ sample })
    .onConflict((there) => there.column('only_row').doUpdateSet({ sample }))
    .execute();
}

function sealingPlace({ workspace_id, id }: Place): string {
  return JSON.stringify(['webhook', workspace_id, id]);
}
