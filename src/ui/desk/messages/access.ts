/** Texts of the settings' sections People, API keys, Webhooks and Audit log. */
export const access = {};
