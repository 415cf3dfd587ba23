/** Texts of the command bar. */
export const commandBar = {
  hint: 'Type a command, or words to search for',
  tickets: 'Tickets',
  searchFor: 'Search for “{words}”',
  openReference: 'Open {reference}',
};
