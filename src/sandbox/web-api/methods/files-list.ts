import { isPicture, kindOf } from '../../workspace/files-kind.ts';
import { maySee, type StoredFile } from '../../workspace/files-store.ts';
import type { Call } from '../method.ts';

interface Wanted {
  channel?: string | undefined;
  user?: string | undefined;
  ts_from?: string | undefined;
  ts_to?: string | undefined;
  types?: string | undefined;
  count?: number | undefined;
  page?: number | undefined;
}

/** docs.slack.dev/reference/methods/files.list, "types" */
const IS_OF: Record<string, (file: StoredFile) => boolean> = {
  all: () => true,
  images: (file) => isPicture(kindOf(file.name, file.snippet_type)),
  snippets: (file) => file.snippet_type !== null,
  pdfs: (file) => kindOf(file.name, file.snippet_type).filetype === 'pdf',
  zips: (file) => kindOf(file.name, file.snippet_type).filetype === 'zip',
};

/** The files an app may see, newest first, by numbered pages (100 each unless told). */
export function filesPage(call: Call, wanted: Wanted) {
  const rows = call.workspace.db
    .query<StoredFile>(
      `select * from file where team_id = ? and state in ('sharing', 'processed') order by created_at desc, id desc`,
    )
    .all(call.workspace.directory.team.id);
  const types = (wanted.types || 'all').split(',').map((type) => type.trim());
  const found = rows.filter(
    (file) =>
      maySee(call.workspace, call.app, file) &&
      types.some((type) => IS_OF[type]?.(file) === true) &&
      (!wanted.channel || file.shares.some(({ channel }) => channel === wanted.channel)) &&
      (!wanted.user || file.user_id === wanted.user) &&
      (!wanted.ts_from || file.created_at >= Number(wanted.ts_from)) &&
      (!wanted.ts_to || file.created_at <= Number(wanted.ts_to)),
  );
  const count = Math.max(1, Math.min(wanted.count || 100, 1_000));
  const page = Math.max(1, wanted.page || 1);
  return {
    files: found.slice((page - 1) * count, page * count),
    paging: { count, total: found.length, page, pages: Math.ceil(found.length / count) },
  };
}
