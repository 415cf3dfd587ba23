import { state } from './state.js';

export const PRIORITIES = {
  URGENT: 'Urgent',
  HIGH: 'High',
  MEDIUM: 'Medium',
  LOW: 'Low',
  NO_PRIORITY: 'None',
};

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const AGO = new Intl.RelativeTimeFormat(undefined, { style: 'narrow', numeric: 'auto' });

export const moment = (at) => MOMENT.format(new Date(at));

/** Formats a date for a field of date and time, in this browser's time zone. */
export function localInstant(at) {
  if (!at) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** `5 min ago`; after six days, the date. */
export function ago(at) {
  const seconds = (new Date(at).getTime() - Date.now()) / 1000;
  const steps = [
    [60, 'second', 1],
    [3600, 'minute', 60],
    [86_400, 'hour', 3600],
    [6 * 86_400, 'day', 86_400],
  ];
  const step = steps.find(([below]) => Math.abs(seconds) < below);
  return step ? AGO.format(Math.round(seconds / step[2]), step[1]) : DAY.format(new Date(at));
}

export function fullName(person) {
  return [person?.firstName, person?.lastName].filter(Boolean).join(' ') || person?.email || 'A user';
}

export function nameOf(id) {
  return id ? fullName(state.people.get(id)) : '';
}

/** The colour of a status: by its group, which every service has. */
export function groupOf(status) {
  const group = (status?.statusGroup?.label ?? '').toLowerCase();
  return ['open', 'in progress', 'waiting', 'done', 'closed'].includes(group)
    ? group.replace(' ', '-')
    : 'other';
}

/** The claim of another user on the open ticket, if any. */
export function otherClaim({ metadata }) {
  const held = metadata?.claim;
  const isOther = held && held.userId !== state.session.userId && new Date(held.until) > new Date();
  return isOther ? held : undefined;
}
