/** Returns a user's display name: by name, else by e-mail address; undefined if the record has neither. */
export function userName(user: {
  firstName: string | null;
  lastName: string | null;
  email: string | null;
}): string | undefined {
  return [user.firstName, user.lastName].filter(Boolean).join(' ') || user.email || undefined;
}
