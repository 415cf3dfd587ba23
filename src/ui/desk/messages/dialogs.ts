/** Texts of the dialog that confirms moving a ticket to another queue. */
export const move = {
  title: 'Move {code} to {queue}?',
  lose: '{count, plural, one {# person can no longer read it} other {# people can no longer read it}}',
  loseMore: 'It disappears from their lists and open pages at once.',
  loseYou: 'You are one of them: it disappears from your lists too.',
  gain: '{count, plural, one {# more person can read it} other {# more people can read it}}',
  gainMore: 'The whole conversation, with its files.',
  same: 'The same people can read it',
  unknown: 'This service does not say who gains or loses access.',
  action: 'Move',
};

/** The dialogs in which tickets are merged and linked. */
export const merging = {
  mergeTicket: 'Merge {code} into another ticket',
  mergeHelp: 'Find the ticket that stays open. {code} will be closed, and new messages go to the other one.',
  mergeConfirm: 'Merge into {code}',
  mergeFinal: 'To undo it, reopen {code}.',
  findHint: 'Reference or words',
  messagesCount: '{count, plural, =0 {no messages} one {# message} other {# messages}}',
  linkKind: 'Relation',
  linkDone: 'Link',
  merged: 'Merged {from} into {to}',
  mergeUndone: '{code} is open again, and the merge is undone',
};

/** Where a request is approved or declined. */
export const deciding = {
  needed: 'Waiting for your approval',
  byOthers: 'You asked for this yourself, so another approver decides.',
  approve: 'Approve',
  decline: 'Decline',
  approvedBy: 'Approved by {name}',
  declinedBy: 'Declined by {name}',
};

/** Where a request is declined. */
export const declining = {
  title: 'Decline {code}',
  reason: 'Reason',
  help: 'The requester sees it.',
};

/** Where the title of a ticket is changed. */
export const editTitle = {
  help: 'Enter saves, Escape cancels.',
  charactersLeft: '{count, plural, one {# character left} other {# characters left}}',
};

/** Where a point in time is chosen. */
export const dates = {
  laterToday: 'In three hours',
  thisEvening: 'Today',
  tomorrow: 'Tomorrow',
  tomorrowEvening: 'Tomorrow',
  nextMonday: 'Next Monday',
  inAWeek: 'In a week',
  pickDate: 'Pick a date and time',
  quickChoices: 'Quick choices',
  time: 'Time',
  pastError: 'Pick a time in the future.',
  set: 'Set',
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  timeError: 'Enter a time such as {example}.',
};
