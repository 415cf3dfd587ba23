import { recordOf } from '../store/tables.ts';
import type { UserGroup } from './directory.ts';
import { eventTs } from './people.ts';
import { storableText } from '../values.ts';
import type { Workspace } from './workspace.ts';

/** What of a group is wanted; what is absent stays as it is, or is empty in a new one. */
export interface GroupChange {
  handle: string;
  name?: string | undefined;
  description?: string | undefined;
  users?: string[] | undefined;
  channels?: string[] | undefined;
  enabled?: boolean | undefined;
  by: string;
}

/**
 * Makes the group of this handle, or changes it: `subteam_created`, or `subteam_updated` with
 * `subteam_members_changed` where people came or went.
 */
export function putGroup(workspace: Workspace, wanted: GroupChange): UserGroup {
  const { db, directory, ids } = workspace;
  const now = Math.floor(workspace.clock.now().getTime() / 1000);
  const before = directory.groupByHandle(wanted.handle);
  const row = {
    id: before?.id ?? ids.slackId('S'),
    team_id: directory.team.id,
    handle: wanted.handle,
    name: storableText(wanted.name ?? before?.name ?? wanted.handle),
    description: storableText(wanted.description ?? before?.description ?? ''),
    channels: wanted.channels ?? before?.channels ?? [],
    users: wanted.users ?? before?.users ?? [],
    changed_by: wanted.by,
    created_by: before?.createdBy ?? wanted.by,
    created_at: before?.createdAt ?? now,
    updated_at: now,
    deleted_at: wanted.enabled === undefined ? (before?.deletedAt ?? 0) : wanted.enabled ? 0 : now,
  };
  const group = recordOf(db.upsert('user_group', ['id'], row));
  const apps = directory.apps.values();
  workspace.tell(
    {
      type: before ? 'subteam_updated' : 'subteam_created',
      subteam: groupObject(workspace, group, true),
      event_ts: eventTs(workspace),
    },
    apps,
  );
  if (before) {
    const added = group.users.filter((id) => !before.users.includes(id));
    const removed = before.users.filter((id) => !group.users.includes(id));
    if (added.length + removed.length > 0)
      workspace.tell(
        {
          type: 'subteam_members_changed',
          subteam_id: group.id,
          team_id: directory.team.id,
          date_previous_update: before.updatedAt,
          date_update: now,
          added_users: added,
          added_users_count: added.length,
          removed_users: removed,
          removed_users_count: removed.length,
          event_ts: eventTs(workspace),
        },
        apps,
      );
  }
  workspace.journal.record('person', { person: group.id, change: before ? 'changed' : 'added' });
  return group;
}

/** docs.slack.dev/reference/objects/usergroup-object */
export function groupObject({ directory }: Workspace, group: UserGroup, users: boolean) {
  return {
    id: group.id,
    team_id: directory.team.id,
    is_usergroup: true,
    is_subteam: true,
    name: group.name,
    description: group.description,
    handle: group.handle,
    is_external: false,
    date_create: group.createdAt,
    date_update: group.updatedAt,
    date_delete: group.deletedAt,
    auto_type: null,
    auto_provision: false,
    enterprise_subteam_id: '',
    created_by: group.createdBy,
    updated_by: group.changedBy,
    deleted_by: group.deletedAt === 0 ? null : group.changedBy,
    prefs: { channels: group.channels, groups: [] },
    ...(users ? { users: group.users } : {}),
    user_count: group.users.length,
    channel_count: group.channels.length,
  };
}
