import { readdirSync, readFileSync } from 'node:fs';

/** What Linux counts a process's time in, on every platform that Node runs on there. */
const TICKS_PER_SECOND = 100;

/** Bytes of a process's own resident memory; NaN where the system has no /proc. */
export function residentBytes(pid: number): number {
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kilobytes ?? Number.NaN) * 1024;
}

/** Seconds of a core that a process has used; NaN where the system has no /proc. */
export function cpuSeconds(pid: number): number {
  const { ticks } = statOf(pid);
  return ticks / TICKS_PER_SECOND;
}

/** The same of a process and its children that are alive. */
export function cpuSecondsOfFamily(pid: number): number {
  const members = pids().filter((one) => one === pid || statOf(one).parent === pid);
  return members.reduce((sum, one) => sum + cpuSeconds(one), 0);
}

function pids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function statOf(pid: number): { parent: number; ticks: number } {
  // What stands in brackets is the program's name, and may hold anything.
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /, '')
    .split(' ');
  return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
}

/** Empty where it is not there: the process may have ended just now. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
