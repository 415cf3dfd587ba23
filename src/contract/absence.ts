import { z } from 'zod';

import { id, instant, timestamp } from './fields.ts';
import { list, listQuery } from './lists.ts';

/** When a person is away (beyond the specification). */
export const absence = z
  .strictObject({ id, userId: id, from: timestamp, until: timestamp, createdAt: timestamp })
  .meta({ id: 'Absence' });
export type Absence = z.output<typeof absence>;

export const absenceList = list(absence);

export const absenceListQuery = listQuery({
  sortBy: ['until', 'createdAt'],
  groupBy: ['userId'],
  filters: {
    userId: id.nullish(),
    /** Only absences that end later. */
    endsFrom: instant.nullish(),
  },
});

/** `POST /users/{id}/absences` (beyond the specification). */
export const absenceCreate = z.object({ from: instant, until: instant });
