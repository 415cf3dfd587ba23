import { Busboy } from '@fastify/busboy';

/** One part of a form: a field's text, or a file. */
export type FormPart = { name: string; text: string } | { name: string; fileName: string; bytes: Buffer };

/**
 * Reads a `multipart/form-data` body, in the order of its parts.
 *
 * @throws {Error} when the body is no such form.
 */
export async function formParts(contentType: string, body: Buffer): Promise<FormPart[]> {
  const parts: FormPart[] = [];
  await new Promise<void>((resolve, reject) => {
    const reader = new Busboy({ headers: { 'content-type': contentType } });
    reader.on('field', (name, text) => parts.push({ name, text }));
    reader.on('file', (name, stream, fileName) => {
      const part = { name, fileName, bytes: Buffer.alloc(0) };
      parts.push(part);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => (part.bytes = Buffer.concat(chunks)));
      stream.on('error', reject);
    });
    reader.on('finish', resolve);
    reader.on('error', reject);
    reader.end(body);
  });
  return parts;
}

export function isForm(contentType: string | undefined): contentType is string {
  return /^multipart\/form-data\b/i.test(contentType ?? '');
}
