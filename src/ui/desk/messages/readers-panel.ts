/** Who reads a ticket, and why. */
export const readersPanel = {
  more: {
    workspace: 'Its queue is open to all. Only the team sees internal notes.',
    agents: 'Its queue is for agents. Only the team sees internal notes.',
    team: 'Its queue is for its team. Others can’t see that the ticket exists.',
    queue: 'It is private.',
  },
  channel: {
    public:
      'Its thread is there, without internal notes. The channel is public: anyone in Slack can join it.',
    private: 'Its thread is there, without internal notes. The channel is private: only members see it.',
    unknown: 'Its thread is there, without internal notes.',
  },
  participants: 'Participants: requester, assignee, approvers, followers',
  admins: 'Admins',
  adminsMore: 'If one of another team opens it, the conversation says so.',
  programs: 'Programs whose API key reads this queue',
};
