import { z } from 'zod';

import { routes } from '../../contract/index.ts';
import { nextTime } from '../../platform/working-time.ts';
import { listOf } from './triggers.ts';

const DAYS = [1, 2, 3, 4, 5, 6, 7];
const WHICH = 'Expected days from 1 (Monday) to 7';
const day = z.coerce.number(WHICH).int(WHICH).min(1, WHICH).max(7, WHICH);

/** The inputs of a trigger by time of day. */
export const Schedule = z.object({
  days: z
    .union(
      [
        z.array(day),
        z
          .string()
          .transform((text): unknown[] => listOf(text))
          .pipe(z.array(day)),
      ],
      WHICH,
    )
    .nullish()
    .transform((days) => (days?.length ? days : DAYS)),
  time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expected a time of day, such as 09:00'),
  timeZone: routes.createBusinessHours.body.shape.timeZone,
});

/** Returns when a schedule is due next after an instant. */
export function nextDue(inputs: Readonly<Record<string, unknown>>, after: Date): Date {
  return nextTime(Schedule.parse(inputs), after);
}
