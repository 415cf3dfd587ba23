/** The addresses of the bridge: a face beside `index.ts`, for who names them without loading a bridge. */

/** The one address for events, commands and interactions, as the manifest gives it to Slack. */
export const EVENTS_PATH = '/slack/events';
/** Where an owner of a chat workspace begins to install the app; with the key as `?key=`. */
export const INSTALL_PATH = '/slack/install';
/** Where chat sends them back to; the app's settings at Slack name it as a redirect URL. */
export const REDIRECT_PATH = '/slack/oauth_redirect';
