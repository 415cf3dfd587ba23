import type { Feature } from '../feature.ts';
import { threads } from '../threads/index.ts';
import { agents } from './agents/index.ts';
import { approvals } from './approvals/index.ts';
import { cards } from './cards/index.ts';
import { chatRequests } from './chat-requests/index.ts';
import { commands } from './commands/index.ts';
import { deliveryStatus } from './delivery-status/index.ts';
import { files } from './files/index.ts';
import { home } from './home/index.ts';
import { notifications } from './notifications/index.ts';
import { reactions } from './reactions/index.ts';
import { reminders } from './reminders/index.ts';
import { shown } from './shown/index.ts';
import { unfurls } from './unfurls/index.ts';

/** The list of all features. */
const FEATURES: readonly Feature[] = [
  home,
  cards,
  reactions,
  files,
  agents,
  approvals,
  deliveryStatus,
  notifications,
  reminders,
  chatRequests,
  commands,
  shown,
  unfurls,
];

/** Everything that registers posts, work and hooks. */
export const PARTS: readonly Feature[] = [threads, ...FEATURES];
