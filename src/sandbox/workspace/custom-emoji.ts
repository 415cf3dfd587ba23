import { eventTs } from './people.ts';
import type { Workspace } from './workspace.ts';

/**
 * Adds a custom emoji, gives it another picture, or (`value` undefined) takes it away; apps hear `emoji_changed`
 * (docs.slack.dev/reference/events/emoji_changed). An empty value is a picture that the sandbox draws.
 */
export function putEmoji(workspace: Workspace, name: string, value: string | undefined): void {
  const { db, directory } = workspace;
  const apps = directory.apps.values();
  const team_id = directory.team.id;
  if (value === undefined) {
    if (db.run('delete from emoji where team_id = ? and name = ?', team_id, name) === 0) return;
    workspace.tell(
      { type: 'emoji_changed', subtype: 'remove', names: [name], event_ts: eventTs(workspace) },
      apps,
    );
    return;
  }
  db.upsert('emoji', ['team_id', 'name'], { team_id, name, value });
  workspace.tell(
    {
      type: 'emoji_changed',
      subtype: 'add',
      name,
      value: emojiAddress(workspace.baseUrl, name, value),
      event_ts: eventTs(workspace),
    },
    apps,
  );
}

/** Where its picture is, or `alias:` and the name of another. */
export function emojiAddress(baseUrl: string, name: string, value: string): string {
  return value === '' ? `${baseUrl}/emoji/${encodeURIComponent(name)}.svg` : value;
}
