/** The emoji that opens a ticket (B1). */
export const TICKET_EMOJI = 'ticket';
