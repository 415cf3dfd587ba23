import { z } from 'zod';

import type { Client } from '../../client/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/open.ts';
import { type RefusedAnswer, refusedAnswer } from '../slack/respond.ts';
import { webhookUrlOf, registeredWebhook, webhookRefusal } from '../entry/webhook.ts';
import { type MissingMethod, readMissingMethods } from '../slack/missing-methods.ts';
import { mayBeIn } from '../tickets/channels.ts';
import { readSetting } from '../settings.ts';
import type { BridgeTables } from '../schema/tables.ts';
import {
  type ChatAccess,
  readChat,
  type SlackConnection,
  checkChat,
  type WantedChannel,
} from './check-chat.ts';
import { checkService, readService, type ServiceFacts } from './check-service.ts';
import type { Finding } from './finding.ts';
import { ping } from '../entry/ping.ts';

/** The checks outside of the bridge's database, with the expected values. */
export interface OutsideOptions {
  database: Database<BridgeTables>;
  service: Client;
  serviceUrl: string;
  chat: ChatAccess;
  publicUrl: string;
  /** The database schema of the Slack workspace, if there may be several. */
  schema?: string | undefined;
  /** The Slack workspace, if there may be others. */
  team?: string | undefined;
  scopes: readonly string[];
  adminChannel?: string | undefined;
  clock: Clock;
}

/**
 * Checks the service and then Slack, whose channels the service names. Throws only if the database is unavailable.
 * @param how `pings`: asks the service to send a ping, which leaves a delivery there.
 */
export async function checkOutside(
  sight: OutsideOptions,
  how: { connection: SlackConnection; pings: boolean },
): Promise<Finding[]> {
  const { database, service, serviceUrl, publicUrl, clock } = sight;
  const webhookId = await registeredWebhook(database.db);
  const pathToken = await readSetting(database.db, 'webhook-path-token', z.string());
  const facts = await readService({ service, url: serviceUrl }, webhookId, clock);
  const isActive = typeof facts.webhook === 'object' && facts.webhook.active;
  const findings = checkService({
    facts,
    serviceUrl,
    publicUrl,
    webhookUrl: webhookUrlOf(sight, pathToken ?? ''),
    refusal: await webhookRefusal(database.db),
    ping: how.pings && isActive && webhookId !== undefined ? await ping(sight, webhookId) : 'not asked',
  });
  const wanted = {
    linked: linkedIn(facts, sight.team),
    refusedAnswer: await refusedAnswer(database.db),
    missing: await readMissingMethods(database.db, clock.now()),
  };
  return [...findings, ...(await checkSlack(sight, how.connection, wanted))];
}

/**
 * Never throws.
 * @param wanted what the service's configuration needs in Slack, if it was read.
 */
export async function checkSlack(
  { chat, scopes, adminChannel, clock }: Pick<OutsideOptions, 'chat' | 'scopes' | 'adminChannel' | 'clock'>,
  connection: SlackConnection,
  wanted: {
    linked?: WantedChannel[] | undefined;
    refusedAnswer?: RefusedAnswer | undefined;
    missing?: readonly MissingMethod[];
  } = {},
): Promise<Finding[]> {
  const { linked, refusedAnswer, missing = [] } = wanted;
  const channels = [
    ...(linked ?? []).map(({ id }) => id),
    ...(adminChannel === undefined ? [] : [adminChannel]),
  ];
  return checkChat({
    facts: await readChat(chat, channels, clock),
    connection,
    scopes,
    linked,
    adminChannel,
    missing,
    refusedAnswer: refusedAnswer && isRecent(refusedAnswer, clock) ? refusedAnswer.origin : undefined,
  });
}

const RECENT_MS = 24 * 3_600_000;

function isRecent({ at }: RefusedAnswer, clock: Clock): boolean {
  return clock.now().getTime() - at.getTime() < RECENT_MS;
}

/** Returns the channels whose messages open tickets in a queue of their own; undefined if the service does not say. */
function linkedIn({ workspaces }: ServiceFacts, team: string | undefined): WantedChannel[] | undefined {
  if (!Array.isArray(workspaces)) return undefined;
  return workspaces.flatMap(({ chatTriageChannels }) =>
    chatTriageChannels.flatMap((channel) => {
      const { channelId, channelName, deletedAt, type, queueId } = channel;
      const isWanted = queueId && !deletedAt && type !== 'TRIAGE';
      return channelId && isWanted && (team === undefined || mayBeIn(channel, team))
        ? [{ id: channelId, name: channelName ?? undefined }]
        : [];
    }),
  );
}
