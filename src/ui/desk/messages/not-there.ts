/** Texts of the page in place of a ticket that one cannot read, or not any more. */
export const notThere = {
  goneTitle: 'You can no longer read {code}',
  goneMore: 'It was moved to another team, made private, or its queue is read by fewer people now.',
  noneTitle: 'There is no {code} here',
  noneMore: 'Check the reference. If it is correct, you don’t have access to this ticket.',
};
