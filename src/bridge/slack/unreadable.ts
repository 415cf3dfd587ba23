import { z } from 'zod';

const Typed = z.object({ type: z.string() });
const Keys = z.record(z.string(), z.unknown()).transform((body) => Object.keys(body).slice(0, 20));

/** The notice that Slack dropped events (https://docs.slack.dev/reference/events/app_rate_limited). */
export const EventsLimited = z.object({
  type: z.literal('app_rate_limited'),
  /** The minute from which on, in Unix seconds. */
  minute_rate_limited: z.number().optional().catch(undefined),
});

/** Returns the type and field names of an unreadable body, for the log: its values may be message text. */
export function shapeOf(body: unknown): { type: string | undefined; keys: string[] } {
  const typed = Typed.safeParse(body);
  const keys = Keys.safeParse(body);
  return { type: typed.success ? typed.data.type : undefined, keys: keys.success ? keys.data : [] };
}
