import { readdirSync, readFileSync } from 'node:fs';

/** The unit in which Linux counts CPU time, on every platform that Node supports there. */
const TICKS_PER_SECOND = 100;

/** The resident memory of a process in bytes; NaN if the system has no /proc. */
export function residentBytes(pid: number): number {
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kilobytes ?? Number.NaN) * 1024;
}

/** CPU seconds that a process has used; NaN if the system has no /proc. */
export function cpuSeconds(pid: number): number {
  const { ticks } = statOf(pid);
  return ticks / TICKS_PER_SECOND;
}

/**
 * CPU seconds of a process and its children. Those that have ended count as well: a server ends the connections that
 * a load has opened while the rest after it is measured.
 */
export function cpuSecondsOfFamily(pid: number): number {
  const members = pids().filter((one) => one === pid || statOf(one).parent === pid);
  const living = members.reduce((sum, one) => sum + cpuSeconds(one), 0);
  return living + statOf(pid).endedTicks / TICKS_PER_SECOND;
}

/** The bytes of memory of a program with its database, and who has them. */
export interface Shares {
  node: number;
  postgres: number;
}

/**
 * The proportional set sizes in bytes of a process and all that descend from it: what several of them share counts
 * once. NaN if the system has no /proc.
 */
export function proportionalBytes(pid: number): Shares {
  const shares = { node: 0, postgres: 0 };
  for (const one of familyOf(pid)) {
    const isPostgres = /postgres/.test(read(`/proc/${one}/cmdline`));
    const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${one}/smaps_rollup`)) ?? [];
    shares[isPostgres ? 'postgres' : 'node'] += Number(kilobytes ?? (one === pid ? Number.NaN : 0)) * 1024;
  }
  return shares;
}

/** A process and all that descend from it. */
function familyOf(pid: number): number[] {
  const parents = new Map(pids().map((one) => [one, statOf(one).parent]));
  const family = [pid];
  for (const member of family) for (const [one, parent] of parents) if (parent === member) family.push(one);
  return family;
}

function pids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function statOf(pid: number): { parent: number; ticks: number; endedTicks: number } {
  // The part in parentheses is the program's name, which may contain anything.
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /, '')
    .split(' ');
  const sumOf = (at: number) => Number(fields[at]) + Number(fields[at + 1]);
  return { parent: Number(fields[1]), ticks: sumOf(11), endedTicks: sumOf(13) };
}

/** Empty if the file does not exist: the process may have just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
