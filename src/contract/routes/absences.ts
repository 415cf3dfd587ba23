import { absence, absenceCreate, absenceList, absenceListQuery } from '../absence.ts';
import { idParams } from '../fields.ts';
import { route } from '../route.ts';

/** When people are away: each sets their own, admins everyone's. */
export const absenceRoutes = {
  listAbsences: route({
    method: 'GET',
    path: '/absences',
    role: 'read',
    person: 'agent',
    ext: true,
    summary: 'List when people are away, in the order of time',
    query: absenceListQuery,
    answer: absenceList,
  }),
  createAbsence: route({
    method: 'POST',
    path: '/users/{id}/absences',
    role: 'agent',
    person: 'agent',
    ext: true,
    summary: 'Say when a person is away: they get no tickets in turn',
    params: idParams,
    body: absenceCreate,
    answer: absence,
    audit: 'settings.changed',
    errors: ['NOT_FOUND', 'UNPROCESSABLE_CONTENT'],
  }),
  deleteAbsence: route({
    method: 'DELETE',
    path: '/absences/{id}',
    role: 'agent',
    person: 'agent',
    ext: true,
    summary: 'Remove an absence',
    params: idParams,
    answer: absence,
    audit: 'settings.changed',
    errors: ['NOT_FOUND'],
  }),
};
