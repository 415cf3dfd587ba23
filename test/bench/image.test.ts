import { describe, expect, it } from 'vitest';

import { compressedBytesOf, imageOf } from '../../bench/lib/image.ts';
import { bytesOf } from '../../bench/lib/packages.ts';
import { textOf } from '../docs/documents.ts';

const [dockerfile, dockerignore] = [textOf('Dockerfile'), textOf('.dockerignore')];

describe('the size of the image', () => {
  it('knows every layer of the Dockerfile, and counts no development dependency', () => {
    const { base, layers } = imageOf(dockerfile, dockerignore);
    expect(base).toMatch(/^node:24/);
    const files = Object.assign({}, ...layers.map(({ contents }) => contents)) as Record<string, string[]>;
    expect(Object.keys(files).sort()).toEqual(['own files', 'packages', 'the embedded Postgres']);
    expect(files['own files']).toEqual(expect.arrayContaining(['LICENSE', 'package.json', 'src/main.ts']));
    expect(files.packages).toContain('node_modules/@slack/bolt/package.json');
    expect(files.packages?.filter((file) => /^node_modules\/(vitest|typescript)\//.test(file))).toEqual([]);
    expect(files['the embedded Postgres']?.some((file) => file.endsWith('/native/bin/postgres'))).toBe(true);
  });

  it.each([
    'RUN apt-get update && apt-get install --yes curl',
    'RUN npm ci',
    'ADD https://example.com/file ./file',
    'COPY docs ./docs',
    'COPY --from=elsewhere /app ./',
    'COPY --chown=node:node src ./src',
  ])('is an error, not a guess, for an instruction with an unknown layer: %s', (instruction) => {
    expect(() => imageOf(`${dockerfile}${instruction}\n`, dockerignore)).toThrow(instruction);
  });

  it('is an error if .dockerignore excludes part of what it allows', () => {
    expect(() => imageOf(dockerfile, `${dockerignore}src/sandbox\n`)).toThrow('.dockerignore');
  });

  it('compressed, equals the size of an archive made by gzip', async () => {
    const compressed = await compressedBytesOf(['package-lock.json', 'LICENSE']);
    expect(compressed).toBeGreaterThan(1_000);
    expect(compressed).toBeLessThan(bytesOf(['package-lock.json', 'LICENSE']) / 2);
  });
});
