/** The bridge's URL paths, separate from `index.ts` so that they can be imported without loading a bridge. */

/** The URL path for events, commands and interactions, as in the manifest. */
export const EVENTS_PATH = '/slack/events';
/** The path at which an owner of a Slack workspace starts to install the app; with the key as `?key=`. */
export const INSTALL_PATH = '/slack/install';
/** The OAuth redirect path; the app's settings at Slack contain it. */
export const REDIRECT_PATH = '/slack/oauth_redirect';
