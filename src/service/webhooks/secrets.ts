import { sql } from 'kysely';

import { transaction } from '../../platform/database/open.ts';
import { StartError } from '../../platform/lifecycle.ts';
import { type Sealing, SealingError } from '../../platform/sealing.ts';
import type { ServiceDb, ServiceTx } from '../handler.ts';
import type { WebhookRow } from './records.ts';

type Place = Pick<WebhookRow, 'workspace_id' | 'id'>;

const SAMPLE = 'the key that opens this opens every secret here';
const SAMPLE_PLACE = 'sealing';

/** Returns a webhook's secret as stored: it must be readable for signing, but not from the database alone. */
export function sealSecret(sealing: Sealing, webhook: Place, secret: string | null): string | null {
  return secret === null ? null : sealing.seal(secret, placeOf(webhook));
}

/** Decrypts a stored secret. */
export function openSecret(sealing: Sealing, webhook: Place, stored: string | null): string | null {
  return stored === null ? null : sealing.open(stored, placeOf(webhook));
}

/**
 * At the start: encrypts with the newest key what an older one encrypted.
 * @throws StartError where something was sealed with a key that we were not given: signing would fail, one event after
 * the other.
 */
export async function sealStoredSecrets(db: ServiceDb, sealing: Sealing): Promise<void> {
  await transaction(db, async (tx) => {
    // Serializes processes that start together.
    await sql`select pg_advisory_xact_lock(hashtextextended('sealing', 0))`.execute(tx);
    try {
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
        const secret = current(sealing, placeOf(row), row.secret);
        const previous_secret = current(sealing, placeOf(row), row.previous_secret);
        if (secret === row.secret && previous_secret === row.previous_secret) continue;
        await tx
          .updateTable('webhook')
          .set({ secret, previous_secret })
          .where('workspace_id', '=', row.workspace_id)
          .where('id', '=', row.id)
          .execute();
      }
    } catch (error) {
      if (!(error instanceof SealingError)) throw error;
      throw new StartError(
        'The secrets in this database were sealed with another key. Give every process on it the same TOKEN_ENCRYPTION_KEY; ' +
          'without one, the key is in encryption-key.json of the DATA_DIR that was used first.',
        { cause: error },
      );
    }
  });
}

async function sealSample(tx: ServiceTx, sealing: Sealing): Promise<void> {
  const row = await tx.selectFrom('encryption_check').select('sample').executeTakeFirst();
  const sample = row ? current(sealing, SAMPLE_PLACE, row.sample) : sealing.seal(SAMPLE, SAMPLE_PLACE);
  if (row && sample === row.sample) return;
  await tx
    .insertInto('encryption_check')
    .values({ sample: sample ?? '' })
    .onConflict((there) => there.column('only_row').doUpdateSet({ sample: sample ?? '' }))
    .execute();
}

/** Returns a stored text encrypted with the newest key; also checks that it can be decrypted. */
function current(sealing: Sealing, place: string, stored: string | null): string | null {
  if (stored === null) return null;
  const text = sealing.open(stored, place);
  return sealing.isCurrent(stored) ? stored : sealing.seal(text, place);
}

function placeOf({ workspace_id, id }: Place): string {
  return JSON.stringify(['webhook', workspace_id, id]);
}
