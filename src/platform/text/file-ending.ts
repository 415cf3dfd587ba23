import mime from 'mime';

/**
 * Returns the ending of names of files of a type, with its dot; empty for types that say nothing of what is in a file.
 * @param type as in a `Content-Type`, also with parameters.
 */
export function endingOf(type: string): string {
  const [name = ''] = type.split(';');
  const ending = /octet-stream/i.test(name) ? null : mime.getExtension(name.trim());
  return ending ? `.${ending}` : '';
}
