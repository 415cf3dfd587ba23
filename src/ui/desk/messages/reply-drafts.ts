export const replyDrafts = {
  title: 'Drafted replies',
  by: 'Drafted by {name}, not sent',
  send: 'Send to the requester',
  delete: 'Delete draft',
};
