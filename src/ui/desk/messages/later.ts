import { access } from './access.ts';
import { account } from './account.ts';
import { ai } from './ai.ts';
import { analytics } from './analytics.ts';
import { channels, queues } from './queues.ts';
import { requestTypes } from './request-types.ts';
import { settings } from './settings.ts';
import { workflows } from './workflows.ts';

/** The texts of parts that are loaded when they are opened (kit/more-texts.tsx). */
export const analyticsTexts = { analytics };
export const settingsTexts = { access, account, ai, channels, queues, requestTypes, settings, workflows };
