import type { ParsedSeed, ParsedTeam } from '../seed.ts';
import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';

/** The app's place in a workspace, as the seed gives it. */
interface SeededInstallation {
  botUserId: string;
  botId: string;
  botToken: string;
  scopes?: string[] | undefined;
}

/**
 * Fills an empty database. Where there is a team already, the installations of the seed get the scopes that it adds and
 * nothing else changes: nobody could reinstall the app of an older sandbox to grant what a newer manifest asks for.
 */
export function applySeed(db: Database, seed: ParsedSeed, now: Date): void {
  const { app } = seed;
  const installations = [{ ...seed, installation: app }, ...seed.workspaces];
  if (db.query('select 1 from team').get()) {
    for (const { team, installation } of installations)
      if (installation?.scopes)
        grantAddedScopes(db, { app_id: app.id, team_id: team.id }, installation.scopes);
    return;
  }
  db.transaction(() => {
    db.insert('app', {
      id: app.id,
      name: app.name,
      app_token: app.appToken,
      signing_secret: app.signingSecret,
      client_id: app.clientId ?? app.id,
      client_secret: app.clientSecret ?? `client-secret-of-${app.id}`,
      redirect_urls: app.redirectUrls,
      token_rotation: app.tokenRotation,
      request_url: app.requestUrl ?? null,
      socket_mode: app.socketMode ?? app.requestUrl === undefined,
    });
    for (const one of installations) {
      insertTeam(db, one, now);
      if (one.installation) installSeeded(db, app, one.team.id, one.installation, now);
    }
  });
}

/** Adds a workspace with its people, groups, emoji and channels. */
export function insertTeam(db: Database, one: ParsedTeam, now: Date): void {
  const team_id = one.team.id;
  const seconds = Math.floor(now.getTime() / 1000);
  const first = one.people[0]?.id ?? 'USLACKBOT';
  db.insert('team', one.team);
  for (const person of one.people)
    db.insert('person', {
      id: person.id,
      workspace_id: team_id,
      name: person.name,
      first_name: person.firstName,
      last_name: person.lastName,
      email: person.email,
      time_zone: person.timeZone,
      is_bot: false,
      role: person.role,
      display_name: person.displayName,
      title: person.title,
      deleted: person.deleted,
      team_id: person.teamId,
    });
  for (const group of one.userGroups)
    db.insert('user_group', {
      ...group,
      team_id,
      channels: [],
      created_by: first,
      changed_by: first,
      created_at: seconds,
      updated_at: seconds,
      deleted_at: 0,
    });
  for (const [name, value] of Object.entries(one.emoji)) db.insert('emoji', { team_id, name, value });
  for (const [index, channel] of one.channels.entries()) {
    db.insert('channel', {
      id: channel.id,
      team_id,
      name: channel.name,
      kind: channel.private ? 'group' : 'channel',
      creator: first,
      // Channels are listed by age, so in the order of the seed.
      created_at: seconds - one.channels.length + index,
    });
    for (const user_id of channel.members) db.insert('member', { channel_id: channel.id, user_id });
  }
}

function installSeeded(
  db: Database,
  app: { id: string; name: string },
  team_id: string,
  { botUserId, botId, botToken, scopes }: SeededInstallation,
  now: Date,
): void {
  const place = { app_id: app.id, team_id };
  db.insert('person', botUser(app.name, team_id, botUserId));
  db.insert('installation', {
    ...place,
    bot_user_id: botUserId,
    bot_id: botId,
    scopes: scopes ?? null,
    active: true,
  });
  db.insert('bot_token', { ...place, token: botToken, created_at: now });
}

function grantAddedScopes(
  db: Database,
  place: { app_id: string; team_id: string },
  scopes: readonly string[],
): void {
  const installed = db
    .query<Tables['installation']>(
      'select * from installation where app_id = ? and team_id = ? and active and scopes is not null',
    )
    .get(place.app_id, place.team_id);
  if (installed?.scopes)
    db.update('installation', place, { scopes: [...new Set([...installed.scopes, ...scopes])] });
}

/** The bot user of an app in a workspace. */
export function botUser(name: string, teamId: string, userId: string) {
  return {
    id: userId,
    workspace_id: teamId,
    name,
    first_name: name,
    last_name: '',
    email: '',
    time_zone: 'UTC',
    is_bot: true,
  };
}
