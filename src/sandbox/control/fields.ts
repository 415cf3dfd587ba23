import { z } from 'zod';

import { storableText } from '../values.ts';

export const ts = z.string().regex(/^\d{10}\.\d{6}$/, 'a ts looks like 1700000000.000100');

/** What somebody typed. No database takes NUL or half a character in a text; both are shown as U+FFFD. */
export const words = z.string().transform(storableText);

export const said = words.pipe(z.string().min(1));

/** A workspace of another organisation, of which the sandbox knows no more (Slack Connect). */
export const foreignTeam = z.string().regex(/^[TE][A-Z0-9]{4,24}$/, 'the id of a workspace, e.g. T0OTHER');

/** A person or an app's bot: a name (`ada`) or an id. */
export const someone = z.string().min(1);

/** `channel`: a name (`it-help`), an id, or `@name` for the direct messages with that person or app. */
export const place = { channel: z.string().min(1), user: someone };
