/** Texts of the settings' section Request types. */
export const requestTypes = {};
