import type { Client, FileClient } from '../client/index.ts';
import type { Cache } from '../platform/cache.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/open.ts';
import type { Egress } from '../platform/egress.ts';
import type { NewId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import type { Hooks } from './hooks.ts';
import type { FailingWork } from './inbox/failing-work.ts';
import type { Inbox } from './inbox/store.ts';
import type { Envelopes } from './slack/envelope.ts';
import type { Modals } from './slack/writer.ts';
import type { ChatFiles } from './slack/file-bytes.ts';
import type { Budget } from './slack/limits.ts';
import type { BotIdentity, ChatReader } from './slack/reader.ts';
import type { ChannelQueues } from './tickets/channels.ts';
import type { FirstReplies, TeamHours, Forms, Statuses, Warnings } from './tickets/catalogue.ts';
import type { BridgeMetrics } from './metrics.ts';
import type { Trust } from './people/trust.ts';
import type { BridgeTables } from './schema/tables.ts';
import type { BridgeEngine } from './work.ts';

/** The schema of a bridge with a single Slack workspace. */
export const SCHEMA = 'bridge';

/** The options of a bridge. */
export interface BridgeSettings {
  readonly clock: Clock;
  readonly newId: NewId;
  /** 32 or more unguessable characters. */
  readonly newSecret: () => string;
  readonly log: Log;
  /** Maximum size of a file sent to Slack; one at a URL in a text is held in memory meanwhile. */
  readonly fileBytes: number;
  /** The slash command's name, with its slash. */
  readonly command: string;
  /** Base URL for the service's webhooks and for links, without a trailing slash. */
  readonly publicUrl: string;
  /** Base URL of the desk, without a trailing slash; undefined if there is none. */
  readonly deskUrl?: string | undefined;
  /** Milliseconds for which changes of a ticket are collected into one notification. */
  readonly noticeAfterMs: number;
  /** The channel for notices to admins that concern no queue's team. */
  readonly adminChannel?: string | undefined;
}

/** The dependencies of every part of the bridge. */
export interface Bridge extends BridgeSettings {
  readonly database: Database<BridgeTables>;
  readonly engine: BridgeEngine;
  readonly inbox: Inbox;
  /** How envelopes of Slack are stored. */
  readonly envelopes: Envelopes;
  /** Slack's rate limits. */
  readonly budgets: readonly Budget[];
  readonly service: Client;
  /** The service's operations that carry bytes. */
  readonly serviceFiles: FileClient;
  /** The registered webhook: the service does not report to it what this process writes. Undefined until registered. */
  readonly webhook: { id: string | undefined };
  /** The number of the erased user forgotten last, as far as this process knows; 0: none. */
  readonly erased: { last: number };
  /** The work at which the service fails in this process. */
  readonly failing: FailingWork;
  readonly chat: ChatReader;
  readonly chatFiles: ChatFiles;
  readonly modals: Modals;
  readonly channels: ChannelQueues;
  readonly statuses: Statuses;
  readonly firstReplies: FirstReplies;
  readonly teamHours: TeamHours;
  readonly warnings: Warnings;
  readonly forms: Forms;
  /** Pictures from Slack, by the id of the service's user. */
  readonly pictures: Cache<string | null>;
  readonly bot: BotIdentity;
  /** Whether the operator trusts this Slack workspace; true if absent. */
  readonly trust?: Trust | undefined;
  readonly metrics: BridgeMetrics;
  /** Downloads files at URLs in ticket messages; private addresses are refused, except the service's own. */
  readonly egress: Egress;
  readonly hooks: Hooks;
  /** Origins of Slack's response URLs. */
  readonly answersFrom: readonly string[];
  /** Signs links to ticket pages. */
  readonly pageKey: string;
}
