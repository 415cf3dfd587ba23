// The form for new tickets, with the request types and their fields (B37): opened by command, shortcut or button,
// checked while it is open, kept once it is submitted until it is a ticket.

export { FORM_BUTTONS } from './blocks.ts';
