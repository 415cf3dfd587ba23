/** Texts of the settings' sections AI agents, Personalities and Knowledge. */
export const ai = {};
