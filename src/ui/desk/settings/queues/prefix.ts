const PREFIX = /^[A-Z][A-Z0-9]{0,9}$/;

/** Whether a text, in capital letters, is a prefix of references. */
export const isPrefix = (text: string): boolean => PREFIX.test(text.trim().toUpperCase());
