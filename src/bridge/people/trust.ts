// Whether the operator trusts this Slack workspace (docs/set-up.md, People). Its admins decide which e-mail
// addresses its people have, so the people of one that is not trusted are guests of their own.

import { z } from 'zod';

import type { Client } from '../../client/index.ts';
import { ServiceError } from '../../client/index.ts';
import { Cache } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/open.ts';
import type { Log } from '../../platform/log.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { readSetting, writeSetting } from '../settings.ts';

export interface Trust {
  /** Returns whether this Slack workspace is trusted. Never throws. */
  isTrusted(): Promise<boolean>;
}

/** A Slack workspace as the bridge knows it. */
export interface TrustedTeam {
  id: string;
  name: string | undefined;
  organisation: string | undefined;
  /** Whether it is trusted by default: only the first workspace is. */
  isFirst: boolean;
}

const KEY = 'trusted';
const LISTED = 1_000;

/**
 * Reads from the service whether this Slack workspace is trusted, and adds it to the list if it is new. While the list
 * cannot be read it returns the last answer, or if there is none, whether the workspace is the first.
 */
export function createTrust(
  { service, db, clock, log }: { service: Client; db: Db<BridgeTables>; clock: Clock; log: Log },
  team: TrustedTeam,
  keptMs: number,
): Trust {
  const kept = new Cache<boolean>(1, { clock, ms: keptMs });

  async function read(): Promise<boolean> {
    const known = await readSetting(db, KEY, z.boolean());
    try {
      const now = await readFromService();
      if (now !== known) {
        await writeSetting(db, KEY, now);
        // Each person is read and matched again before their next action.
        if (known !== undefined) await forgetPeople();
      }
      if (!now && now !== known)
        log.warn(
          { event: 'workspace.not_trusted', team: team.id, name: team.name },
          `this Slack workspace is not trusted: its people are guests. To trust it, run \`npx deskbridge workspaces trust ${team.id}\``,
        );
      return now;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return known ?? team.isFirst;
    }
  }

  async function readFromService(): Promise<boolean> {
    const { items } = await service.listChatTeams({ query: { limit: LISTED } });
    const listed = (id: string | undefined) => items.find((each) => each.id === id);
    const own = listed(team.id);
    if (own) {
      if (team.name && team.name !== own.name)
        await service.putChatTeam({ body: { id: team.id, name: team.name } });
      return own.isTrusted || listed(own.organisationId ?? undefined)?.isTrusted === true;
    }
    const isTrusted = team.isFirst || listed(team.organisation)?.isTrusted === true;
    await service.putChatTeam({
      body: {
        id: team.id,
        name: team.name ?? null,
        organisationId: team.organisation ?? null,
        isTrusted: team.isFirst,
      },
    });
    return isTrusted;
  }

  async function forgetPeople(): Promise<void> {
    await db
      .updateTable('person')
      .set({ user_id: null, linked_by: null, is_guest: true, read_at: new Date(0) })
      .where('team_id', '=', team.id)
      .execute();
  }

  return { isTrusted: () => kept.get('own', read) };
}

/** Returns whether a bridge's Slack workspace is trusted. Parts without the list, such as commands, trust it. */
export async function isTrusted({ trust }: { trust?: Trust | undefined }): Promise<boolean> {
  return trust === undefined || trust.isTrusted();
}
