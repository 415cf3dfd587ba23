/** An erased person, and what named them: the body of work that is emptied at its end. */
export interface Erased {
  workspaceId: string;
  personId: string;
  /** First and last name, and the names of chat accounts. */
  names: string[];
  /** E-mail address and ids of chat accounts. */
  addresses: string[];
}

/** Replaces the name of an erased person. */
export const NOBODY = { firstName: 'Deleted', lastName: 'user', name: 'Deleted user' } as const;

/** Returns whether a name is more than one word; a single one may be any word. */
export function isWhole(name: string): boolean {
  return name.includes(' ');
}
