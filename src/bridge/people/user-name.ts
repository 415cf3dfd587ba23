/** What a user of the service is called: by name, else by e-mail; undefined where the record says neither. */
export function userName(user: {
  firstName: string | null;
  lastName: string | null;
  email: string | null;
}): string | undefined {
  return [user.firstName, user.lastName].filter(Boolean).join(' ') || user.email || undefined;
}
