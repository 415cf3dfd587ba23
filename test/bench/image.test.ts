import { describe, expect, it } from 'vitest';

import { compressedBytesOf, imageOf } from '../../bench/lib/image.ts';
import { bytesOf } from '../../bench/lib/packages.ts';
import { textOf } from '../docs/documents.ts';

const [dockerfile, dockerignore] = [textOf('Dockerfile'), textOf('.dockerignore')];

describe('the size of the image', () => {
  it('knows every layer of the Dockerfile, and takes no tool of development for part of it', () => {
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
  ])('is refused rather than guessed where a layer is not known: %s', (instruction) => {
    expect(() => imageOf(`${dockerfile}${instruction}\n`, dockerignore)).toThrow(instruction);
  });

  it('is refused where part of what is let in is kept back again', () => {
    expect(() => imageOf(dockerfile, `${dockerignore}src/sandbox\n`)).toThrow('.dockerignore');
  });

  it('compressed, is that of an archive that gzip made', async () => {
    const compressed = await compressedBytesOf(['package-lock.json', 'LICENSE']);
    expect(compressed).toBeGreaterThan(1_000);
    expect(compressed).toBeLessThan(bytesOf(['package-lock.json', 'LICENSE']) / 2);
  });
});
