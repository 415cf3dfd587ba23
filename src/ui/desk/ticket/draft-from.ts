/** A file of a draft. */
type AnyFile = { id: string };

/** A draft as the service keeps it. */
export interface Stored<File extends AnyFile = AnyFile> {
  content: string;
  isPrivate: boolean;
  /** Another service does not keep them. */
  files?: readonly File[];
  updatedAt: string;
}

/** A draft as this browser keeps it; one without text and files was emptied here. */
export interface Kept<File extends AnyFile = AnyFile> extends Omit<Stored<File>, 'updatedAt'> {
  /** Tells one change from the next. */
  change: string;
  /** `updatedAt` of the service's draft that this one comes from; null if there was none. */
  from: string | null;
  /** The service has it. */
  isStored: boolean;
}

/** A draft that says nothing. */
export const isEmpty = ({ content, files = [] }: Pick<Stored, 'content' | 'files'>) =>
  content.trim() === '' && files.length === 0;

/**
 * Whether the service's draft may have been read before this browser's arrived there, as for a page that was asked for
 * while the one before was being left.
 */
export const isReadTooEarly = (here: Kept | undefined, there: Stored | null): boolean =>
  here?.isStored === true && here.from !== null && (there === null || there.updatedAt < here.from);

/**
 * The draft to go on with, from this browser's and the service's; undefined if there is none. Nothing that was typed is
 * lost: if another device wrote too, both texts stand there, unless one contains the other.
 */
export function draftFrom<File extends AnyFile>(
  here: Kept<File> | undefined,
  there: Stored<File> | null,
): Omit<Stored<File>, 'updatedAt'> | undefined {
  if (!here || here.isStored) return there ?? undefined;
  const isAlone = there === null || there.updatedAt === here.from;
  if (isAlone || isEmpty(there)) return isEmpty(here) ? undefined : here;
  if (isEmpty(here)) return there;
  const files = [...(there.files ?? []), ...(here.files ?? [])];
  return {
    content: bothTexts(there.content, here.content),
    isPrivate: here.isPrivate || there.isPrivate,
    files: files.filter(({ id }, index) => files.findIndex((other) => other.id === id) === index),
  };
}

function bothTexts(one: string, other: string): string {
  if (one.includes(other.trim())) return one;
  if (other.includes(one.trim())) return other;
  return `${one.trimEnd()}\n\n${other}`;
}
