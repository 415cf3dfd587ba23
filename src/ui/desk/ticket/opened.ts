/** The HTML of a text, in which every text is escaped. Its links open beside the desk. */
export const opened = (html: string): string => html.replaceAll('<a href=', '<a target="_blank" href=');
