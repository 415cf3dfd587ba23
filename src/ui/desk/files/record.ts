/** A file of a ticket or a message, or one that is not attached yet (src/contract/file.ts). */
export interface FileRecord {
  id: string;
  name: string;
  type: string;
  size: number;
  width: number | null;
  height: number | null;
  url: string;
  thumbnailUrl: string | null;
}

/** The desk passes the service's files on below its own path. */
export const addressOf = (path: string) =>
  path.startsWith('/') ? `/desk${path.replace(/^\/api\//, '/')}` : path;

/**
 * The address of a file as an answer to a question for files. Its name is in the fragment: the path has only its id.
 */
export const linkOf = ({ url, name }: FileRecord): string =>
  `${new URL(addressOf(url), location.origin).href}#${encodeURIComponent(name)}`;
