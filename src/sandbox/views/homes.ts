import type { Db } from '../../platform/database/open.ts';
import type { Tables } from '../schema/tables.ts';
import type { Directory } from '../workspace/directory.ts';
import { statesOf } from './element-state.ts';
import type { OpenView } from './open-view.ts';

/** Keeps the Homes that were published, so that they outlive the process. */
export class Homes {
  readonly #db: Db<Tables>;
  /** One write after the other: what is published last is what stays. */
  #line: Promise<unknown> = Promise.resolve();

  constructor(db: Db<Tables>) {
    this.#db = db;
  }

  async save(home: OpenView): Promise<void> {
    const mine = this.#line.then(() => this.#write(home));
    this.#line = mine.catch(() => undefined);
    await mine;
  }

  /** Every Home of an app and a person that are still here. */
  async load(directory: Directory): Promise<OpenView[]> {
    const rows = await this.#db.selectFrom('home_view').selectAll().execute();
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

  async #write(home: OpenView): Promise<void> {
    const { hash } = home;
    const definition = JSON.stringify(home.definition);
    await this.#db
      .insertInto('home_view')
      .values({ app_id: home.app.id, user_id: home.userId, view_id: home.id, hash, definition })
      .onConflict((conflict) => conflict.columns(['app_id', 'user_id']).doUpdateSet({ hash, definition }))
      .execute();
  }
}
