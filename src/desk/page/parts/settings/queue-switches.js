/**
 * A queue's switches as the contract has them (`settings`), for people who run support; docs/admin.md has the rules.
 * What is stored only, such as what concerns e-mail, is not drawn: it would do nothing.
 */
export const QUEUE_SWITCHES = [
  {
    title: 'How tickets begin',
    switches: [
      [
        'autoCreateTickets',
        'Every message opens a ticket',
        'Each first message in the queue’s request channels becomes a ticket. Off: people mention the bot, react with 🎫 or use the message menu.',
      ],
      [
        'allowGuestUsers',
        'Guests may ask',
        'Off: guests and people of other organisations can’t open tickets.',
      ],
      [
        'enableUserEmojis',
        'Emoji work for everybody',
        'Anybody opens and changes tickets by an emoji on a message. Off: only the team does.',
      ],
    ],
  },
  {
    title: 'In the thread',
    switches: [
      [
        'enableUserActions',
        'Buttons on the requester’s card',
        'Off: the card in the requester’s thread only tells; the team’s cards keep their buttons.',
      ],
      [
        'enableEmojiUpdates',
        'Show the status as an emoji',
        'The first message bears one emoji: 👀 in progress, ⏸️ waiting, ✅ done, 🔒 closed.',
      ],
      [
        'enableGranularChatNotifications',
        'Tell each change',
        'Each change is a line in the thread that says who made it. Off: the card alone changes.',
      ],
      [
        'silentMode',
        'Say nothing but the answers',
        'No cards, status emoji, notices or followers by mention. Tickets open, messages cross and approvers are asked as ever.',
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
        'Ask how it was',
        'When a ticket is done its requester is asked once: one to five, and a few words if they like.',
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
        'A new ticket that has none gets the one that its words fit best, where one does.',
      ],
      ['autoTag', 'Choose tags', 'A new ticket gets up to three tags whose words it has.'],
      [
        'negativeFeedbackAutoCreate',
        'A 👎 brings a person',
        'Thumbs down on an agent’s answer hands the ticket to people; the requester’s own opens a done one again.',
      ],
    ],
  },
];

export const RESPOND_ON_MESSAGE = [
  ['all-messages', 'The request, and what its requester writes after'],
  ['channel-messages', 'The request alone'],
  ['no-messages', 'Nothing but mentions'],
];
