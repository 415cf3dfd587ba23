import { createClient, createFileClient, ServiceError } from '../client/index.ts';
import { Parts, StartError } from '../platform/lifecycle.ts';
import { serviceFor } from '../start/connection.ts';
import { databaseFor } from '../start/database.ts';
import { ApplicationsError, importApplications } from '../service/index.ts';
import { type Invocation, type Run, UsageError } from './command.ts';
import { uploadContents } from './file-contents.ts';
import { type ImportFile, readImportFile } from './import-file.ts';
import { progress } from './progress.ts';

const USAGE =
  'Type `deskbridge import applications <file.json or file.csv>`, with `--workspace <id or slug>` where it is not the first one; or `deskbridge import files <folder of an export>`.';
/** Maximum number of mistakes shown; a file with more has one cause. */
const SHOWN_MISTAKES = 20;
/** Without a terminal, one line for this many applications. */
const SHOWN_EVERY = 500;

/**
 * Imports applications into the embedded service, on its own database: the whole file, or nothing if it contains a
 * mistake.
 */
export const importCommand: Run = async (invocation) => {
  const { config, around, values, positionals, terminal } = invocation;
  if (positionals[0] === 'files') return importFiles(invocation);
  if (!config.embeddedService)
    throw new UsageError('SERVICE_URL points to another service: import its applications there.');
  const [what, file, ...rest] = positionals;
  if (what !== 'applications' || file === undefined || rest.length > 0) throw new UsageError(USAGE);
  const content = await readImportFile(file);
  const parts = new Parts(around.log);
  const show = progress(terminal, SHOWN_EVERY);
  const total = content.applications.length;
  try {
    const { created, replaced } = await importApplications(
      await databaseFor(config, parts, around.log, ['service']),
      content.applications,
      {
        ...around,
        ...(typeof values.workspace === 'string' && { workspace: values.workspace }),
        onProgress: (done) => show(`${done} of ${total} applications`),
      },
    );
    show.end(`${total} applications imported: ${created} new, ${replaced} replaced.`);
  } catch (error) {
    if (error instanceof ApplicationsError) throw mistakesIn(file, content, error);
    throw error;
  } finally {
    await parts.stop();
  }
};

function mistakesIn(file: string, content: ImportFile, error: ApplicationsError): UsageError {
  const lines = error.issues.map(({ path, message }) => {
    if (path.length === 0) return message;
    const [, ...field] = path;
    const where = field.length > 0 ? `${field.join('.')}: ` : '';
    return `line ${content.lineOf(path)}: ${where}${message}`;
  });
  const more = lines.length - SHOWN_MISTAKES;
  const shown = [...lines.slice(0, SHOWN_MISTAKES), ...(more > 0 ? [`and ${more} more`] : [])];
  return new UsageError(`${file} was not imported:\n${shown.join('\n')}`, { cause: error });
}

/** Uploads the files of an export to tickets and messages with the same ids, over the API. */
async function importFiles({ config, around, positionals, terminal }: Invocation): Promise<void> {
  const [, folder, ...rest] = positionals;
  if (folder === undefined || rest.length > 0) throw new UsageError(USAGE);
  const { url, ...access } = await serviceFor(config);
  const { clock, random } = around;
  const service = createClient({ ...access, baseUrl: url, now: () => clock.now(), random });
  const files = createFileClient({ ...access, baseUrl: url });
  const show = progress(terminal, SHOWN_EVERY);
  try {
    const { uploaded, present } = await uploadContents(folder, { service, files }, (done) =>
      show(`${done} files`),
    );
    show.end(`${uploaded} files uploaded; ${present} were there already.`);
  } catch (error) {
    if (error instanceof ServiceError)
      throw new StartError(`The import stopped: at ${url}, ${error.message}. Repeat it to continue.`, {
        cause: error,
      });
    throw error;
  } finally {
    await Promise.all([service.close(), files.close()]);
  }
}
