import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import type { Directory } from '../workspace/directory.ts';
import { statesOf } from './element-state.ts';
import type { OpenView } from './open-view.ts';

/** Keeps the Homes that were published, so that they outlive the process. */
export class Homes {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  save({ app, userId, id, hash, definition }: OpenView): void {
    const row = { app_id: app.id, user_id: userId, view_id: id, hash, definition };
    this.#db.upsert('home_view', ['app_id', 'user_id'], row);
  }

  /** Every Home of an app and a person that are still here. */
  load(directory: Directory): OpenView[] {
    const rows = this.#db.query<Tables['home_view']>('select * from home_view').all();
    return rows.flatMap((row) => {
      const app = directory.apps.get(row.app_id);
      if (!app || !directory.people.has(row.user_id)) return [];
      const home: OpenView = {
        id: row.view_id,
        app,
        userId: row.user_id,
        rootId: row.view_id,
        previousId: null,
        conversation: undefined,
        definition: row.definition,
        hash: row.hash,
        values: statesOf(row.definition.blocks),
        errors: {},
        notice: undefined,
        submitting: false,
      };
      return [home];
    });
  }
}
