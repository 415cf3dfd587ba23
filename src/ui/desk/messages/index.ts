import { account } from './account.ts';
import type { analyticsTexts, settingsTexts } from './later.ts';
import { common } from './common.ts';
import { files } from './files.ts';
import { inbox } from './inbox.ts';
import { list } from './list.ts';
import { newTicket } from './new-ticket.ts';
import type { requests } from './requests.ts';
import { shell } from './shell.ts';
import { ticket } from './ticket.ts';

/** The texts that every page of the desk may need, by area, in ICU's message format. */
export const messages = { account, common, files, inbox, list, newTicket, shell, ticket };

declare module 'use-intl' {
  interface AppConfig {
    Locale: 'en';
    Messages: typeof messages & typeof analyticsTexts & typeof settingsTexts & { requests: typeof requests };
  }
}
