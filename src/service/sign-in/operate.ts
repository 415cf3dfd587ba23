import { randomBytes } from 'node:crypto';

import type { Clock } from '../../platform/clock.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase, transaction } from '../../platform/database/open.ts';
import type { NewId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { PersonRole } from '../../contract/index.ts';
import { migrations, SCHEMA } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';
import { linkForEmail, type SignInLinkRequest } from './links.ts';

/**
 * Creates a sign-in link for the service's operator, on its own database.
 * @throws SignInLinkError
 */
export async function createSignInLink(
  databaseUrl: string,
  { log, clock, newId, publicUrl }: { log: Log; clock: Clock; newId: NewId; publicUrl: string },
  request: SignInLinkRequest,
): Promise<{ url: string; role: PersonRole }> {
  const database = openDatabase<Tables>({ url: databaseUrl, schema: SCHEMA, log, poolSize: 1 });
  try {
    await migrate(database, migrations);
    return await transaction(database.db, (tx) =>
      linkForEmail(tx, { newId, randomBytes, publicUrl }, clock.now(), request),
    );
  } finally {
    await database.close();
  }
}
