import type { MessageFacts } from '../../../src/bridge/threads/rules.ts';

/** A user's reply in the thread of a ticket. */
export const REPLY: MessageFacts = {
  isRoot: false,
  isOurs: false,
  fromBot: false,
  botsAllowed: false,
  subtype: undefined,
  mentionsBot: false,
  hasContent: true,
  onlyNames: false,
  isLinked: false,
  isDeleted: false,
  hasTicket: true,
  isAnswer: false,
  tells: undefined,
  isToBot: false,
  isGreeting: false,
  isThanks: false,
  followsTicket: false,
  opensEveryMessage: false,
};
