import { access } from './access.ts';
import { account } from './account.ts';
import { ai } from './ai.ts';
import { analytics } from './analytics.ts';
import { common } from './common.ts';
import { inbox } from './inbox.ts';
import { list } from './list.ts';
import { newTicket } from './new-ticket.ts';
import { channels, queues } from './queues.ts';
import { requestTypes } from './request-types.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';
import { ticket } from './ticket.ts';

/** All texts of the desk, by area, in ICU's message format. */
export const messages = {
  access,
  account,
  ai,
  analytics,
  channels,
  common,
  inbox,
  list,
  newTicket,
  queues,
  requestTypes,
  settings,
  shell,
  ticket,
};

declare module 'use-intl' {
  interface AppConfig {
    Locale: 'en';
    Messages: typeof messages;
  }
}
