import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

type Named = Record<string, unknown>;

/**
 * Lets files be read and written at once, one after the other: threads of the system would end in an order that no seed
 * decides.
 */
export function installFiles(): void {
  for (const name of Object.keys(fsPromises)) {
    const atOnce = (fs as unknown as Named)[`${name}Sync`];
    // What opens a file returns something else.
    if (typeof atOnce !== 'function' || name === 'open') continue;
    const work = atOnce as (...args: unknown[]) => unknown;
    (fsPromises as unknown as Named)[name] = async (...args: unknown[]) => work.apply(fs, args);
  }
  syncBuiltinESMExports();
}
