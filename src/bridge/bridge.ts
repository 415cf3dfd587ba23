import type { Client } from '../client/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/open.ts';
import type { Egress } from '../platform/egress.ts';
import type { NewId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import type { Hooks } from './hooks.ts';
import type { Modals } from './slack/modals.ts';
import type { BotIdentity, ChatReader } from './slack/reader.ts';
import type { ChannelHomes } from './tickets/channels.ts';
import type { FirstReplies } from './tickets/first-replies.ts';
import type { Forms } from './tickets/request-types.ts';
import type { Statuses } from './tickets/statuses.ts';
import type { BridgeMetrics } from './metrics.ts';
import type { BridgeTables } from './schema/tables.ts';

/** Where a bridge of one chat workspace keeps what it knows. */
export const SCHEMA = 'bridge';

/** What every part of the bridge works with. */
export interface Bridge {
  readonly database: Database<BridgeTables>;
  readonly service: Client;
  readonly chat: ChatReader;
  readonly modals: Modals;
  readonly channels: ChannelHomes;
  readonly statuses: Statuses;
  readonly firstReplies: FirstReplies;
  readonly forms: Forms;
  readonly bot: BotIdentity;
  readonly clock: Clock;
  readonly newId: NewId;
  /** 32 or more unguessable characters. */
  readonly newSecret: () => string;
  readonly log: Log;
  readonly metrics: BridgeMetrics;
  /** Reads files at addresses that ticket messages name; private ones are refused, except the service's own. */
  readonly egress: Egress;
  /** Bytes of a file that is sent to chat, at most. */
  readonly fileBytes: number;
  /** The slash command's name, with its slash. */
  readonly command: string;
  /** What features do where the core calls them. */
  readonly hooks: Hooks;
  /** Origins of chat's response addresses. */
  readonly answersFrom: readonly string[];
  /** Where links to tickets lead, without a slash at the end. */
  readonly publicUrl: string;
  /** Signs links to tickets' pages. */
  readonly pageKey: string;
  /** Milliseconds for which what happens to a ticket is gathered into one notice. */
  readonly noticeAfterMs: number;
  /** Where admins are told of what no queue's team is there for. */
  readonly adminChannel: string | undefined;
}
