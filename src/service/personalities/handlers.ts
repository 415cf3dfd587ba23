import { ID_PREFIXES } from '../../contract/index.ts';
import type { Handlers, Tools } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { textBytesOf, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { conflict, found } from '../problem.ts';
import { lockChosen, lockVisible, requireWorkspace } from '../references.ts';
import { personalityRecords } from './records.ts';

const ORDER = {
  keys: {
    createdAt: timeKey('p.created_at'),
    updatedAt: timeKey('p.updated_at'),
    persona: textKey('p.persona'),
    tone: textKey('p.tone'),
  },
  sortBy: 'createdAt',
  sortDirection: 'asc',
  id: 'p.id',
  bytes: textBytesOf('p.persona', 'p.tone', 'p.length', 'p.greeting', 'p.branding'),
} as const;

const TEXTS = ['persona', 'tone', 'emoji', 'length', 'greeting', 'branding'] as const;

/** The writing styles of AI agents (docs/api.md, Configuration records). */
export function personalityHandlers({
  newId,
}: Tools): Pick<Handlers, 'listPersonalities' | 'savePersonality' | 'deletePersonality'> {
  return {
    async listPersonalities({ caller, query }, db) {
      let rows = db
        .selectFrom('personality as p')
        .where(isOneOf('p.workspace_id', listedWorkspaces(caller, query.workspaceId)));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('p.id', ids));
      if (query.search) rows = rows.where(contains(['p.persona', 'p.tone'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        personalityRecords(db, caller.workspaceIds, shown),
      );
    },

    async savePersonality({ caller, body, now }, tx) {
      const named = TEXTS.filter((text) => body[text] !== undefined);
      const columns = Object.fromEntries(named.map((text) => [text, body[text]]));
      const there = body.id ? await lockChosen(tx, caller, 'personality', body.id) : undefined;
      const workspaceId = there ?? requireWorkspace(caller, body.workspaceId);
      const id = body.id ?? newId(ID_PREFIXES.personality);
      if (there === undefined)
        await tx
          .insertInto('personality')
          .values({ ...columns, workspace_id: workspaceId, id, created_at: now, updated_at: now })
          .execute();
      else
        await tx
          .updateTable('personality')
          .set({ ...columns, updated_at: now })
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .execute();
      return found((await personalityRecords(tx, [workspaceId], [id]))[0]);
    },

    async deletePersonality({ caller, params: { id } }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'personality', id, 'delete');
      const record = found((await personalityRecords(tx, [workspaceId], [id]))[0]);
      const agent = await tx
        .selectFrom('ai_agent')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where('personality_id', '=', id)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      const workspace = await tx
        .selectFrom('workspace')
        .select('id')
        .where('id', '=', workspaceId)
        .where('active_personality_id', '=', id)
        .executeTakeFirst();
      if (agent || workspace) throw conflict('An agent or the workspace has this personality.');
      // A removed AI agent may be restored: without it.
      await tx
        .updateTable('ai_agent')
        .set({ personality_id: null })
        .where('workspace_id', '=', workspaceId)
        .where('personality_id', '=', id)
        .execute();
      await tx
        .deleteFrom('personality')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      return record;
    },
  };
}
