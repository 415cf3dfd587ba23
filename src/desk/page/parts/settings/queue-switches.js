/**
 * A queue's switches from the contract (`settings`), in the words of support teams; docs/admin.md has the
 * rules. Switches that are only stored, such as those about e-mail, are left out: they would have no effect.
 */
export const QUEUE_SWITCHES = [
  {
    title: 'How tickets begin',
    switches: [
      [
        'autoCreateTickets',
        'Every message opens a ticket',
        'Each first message in the queue’s request channels becomes a ticket. Off: users mention the bot, react with 🎫 or use the message menu.',
      ],
      [
        'allowGuestUsers',
        'Guests may ask',
        'Off: guests and people of other organisations can’t open tickets.',
      ],
      [
        'enableUserEmojis',
        'Emoji work for everyone',
        'Every user can open and change tickets with an emoji on a message. Off: only the team can.',
      ],
    ],
  },
  {
    title: 'In the thread',
    switches: [
      [
        'enableUserActions',
        'Buttons on the requester’s card',
        'Off: the card in the requester’s thread has no buttons; the team’s cards keep theirs.',
      ],
      [
        'enableEmojiUpdates',
        'Show the status as an emoji',
        'The first message has one emoji: 👀 in progress, ⏸️ waiting, ✅ done, 🔒 closed.',
      ],
      [
        'enableGranularChatNotifications',
        'Announce each change',
        'Each change is a line in the thread that names who made it. Off: only the card changes.',
      ],
      [
        'silentMode',
        'Post only answers',
        'No cards, status emoji, notices or followers by mention. Tickets, messages and approvals work as usual.',
      ],
    ],
  },
  {
    title: 'For the team, and afterwards',
    switches: [
      [
        'sendAllTicketToTriageChannel',
        'Show the team every ticket',
        'Each ticket gets a card in the team’s channel. Off: only unassigned ones.',
      ],
      [
        'enableCSAT',
        'Ask for a rating',
        'When a ticket is done, its requester is asked once for a rating from 1 to 5 and a comment.',
      ],
    ],
  },
  {
    title: 'Automated answers',
    switches: [
      ['aiEnabled', 'Agents answer', 'The queue’s automated agents answer requesters under their own name.'],
      [
        'respondOnMention',
        'Answer a mention',
        'Users who mention an AI agent or the bot always get an answer.',
      ],
      [
        'autoClassify',
        'Choose the request type',
        'A new ticket without one gets the request type that fits its text best, if any.',
      ],
      ['autoTag', 'Choose tags', 'A new ticket gets up to three tags that occur in its text.'],
      [
        'negativeFeedbackAutoCreate',
        'A 👎 hands over',
        'A 👎 on an AI agent’s answer hands the ticket over to the team; the requester’s also reopens a closed ticket.',
      ],
    ],
  },
];

export const RESPOND_ON_MESSAGE = [
  ['all-messages', 'The request, and what its requester writes after'],
  ['channel-messages', 'Only the request'],
  ['no-messages', 'Only mentions'],
];
