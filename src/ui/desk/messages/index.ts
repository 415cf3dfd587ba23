import type { account } from './account.ts';
import type { actions } from './actions.ts';
import type { analyticsTexts, settingsTexts } from './later.ts';
import type { commandBar } from './command-bar.ts';
import { common } from './common.ts';
import type { dates, deciding, declining, editTitle, merging, move } from './dialogs.ts';
import { files } from './files.ts';
import type { inbox } from './inbox.ts';
import { list } from './list.ts';
import type { listParts } from './list-parts.ts';
import type { newTicket } from './new-ticket.ts';
import type { readersPanel } from './readers-panel.ts';
import type { notThere } from './not-there.ts';
import type { replyDrafts } from './reply-drafts.ts';
import type { requests } from './requests.ts';
import { shell } from './shell.ts';
import { ticket } from './ticket.ts';
import type { workflowRuns } from './workflow-runs.ts';

/** The texts that are loaded with every page of the desk, by area, in ICU message format. */
export const messages = { common, files, list, shell, ticket };

/** The texts that are loaded together with a part of the page when it is opened (kit/more-texts.tsx). */
interface LoadedLater {
  account: typeof account;
  actions: typeof actions;
  commandBar: typeof commandBar;
  dates: typeof dates;
  merging: typeof merging;
  deciding: typeof deciding;
  declining: typeof declining;
  editTitle: typeof editTitle;
  move: typeof move;
  inbox: typeof inbox;
  listParts: typeof listParts;
  newTicket: typeof newTicket;
  notThere: typeof notThere;
  readersPanel: typeof readersPanel;
  replyDrafts: typeof replyDrafts;
  requests: typeof requests;
  workflowRuns: typeof workflowRuns;
}

declare module 'use-intl' {
  interface AppConfig {
    Locale: string;
    Messages: typeof messages & typeof analyticsTexts & typeof settingsTexts & LoadedLater;
  }
}
