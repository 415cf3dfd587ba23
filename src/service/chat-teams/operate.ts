import type { ChatTeam } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase, transaction } from '../../platform/database/open.ts';
import type { NewId } from '../../platform/ids.ts';
import type { Running } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import { writeAudit } from '../audit/write.ts';
import { migrations, SCHEMA } from '../schema/migrations.ts';
import { firstWorkspaceId } from '../schema/workspace.ts';
import type { Tables } from '../schema/tables.ts';
import { toTeam } from './handlers.ts';
import { writeTeam } from './write.ts';

/** The list of trusted Slack workspaces, for the service's operator on its own database. */
export interface ChatTeams extends Running {
  list(): Promise<ChatTeam[]>;
  /** Trusts a Slack workspace or organisation, or no longer; it need not be listed before. */
  trust(id: string, isTrusted: boolean): Promise<void>;
}

export async function openChatTeams(
  databaseUrl: string,
  { log, clock, newId }: { log: Log; clock: Clock; newId: NewId },
): Promise<ChatTeams> {
  const database = openDatabase<Tables>({ url: databaseUrl, schema: SCHEMA, log, poolSize: 1 });
  const { db } = database;
  await migrate(database, migrations);
  return {
    list: async () =>
      (await db.selectFrom('chat_team').selectAll().orderBy('created_at').orderBy('id').execute()).map(
        toTeam,
      ),
    trust: (id, isTrusted) =>
      transaction(db, async (tx) => {
        const now = clock.now();
        await writeTeam(tx, now, id, { isTrusted });
        const workspaceId = await firstWorkspaceId(tx);
        if (workspaceId === undefined) return;
        const reason = `The operator ${isTrusted ? 'trusts' : 'no longer trusts'} the Slack workspace or organisation ${id}.`;
        await writeAudit(
          tx,
          { newId, now },
          { action: 'settings.changed', workspaceId, subjectId: id, reason },
        );
      }),
    stop: () => database.close(),
  };
}
