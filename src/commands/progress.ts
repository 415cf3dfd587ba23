/**
 * Shows the progress of long work: one line that is overwritten on a terminal; otherwise one line for every so many
 * changes.
 */
export function progress(
  terminal: boolean,
  every = 1,
): ((line: string) => void) & { end: (line: string) => void } {
  let shown = '';
  let changes = 0;
  const show = (line: string) => {
    if (line === shown) return;
    changes += 1;
    if (!terminal && changes % every !== 0) return;
    process.stdout.write(terminal ? `\r\u001b[K${line}` : `${line}\n`);
    shown = line;
  };
  const end = (line: string) =>
    void process.stdout.write(`${terminal && shown ? '\r\u001b[K' : ''}${line}\n`);
  return Object.assign(show, { end });
}
