/**
 * Prints how many bytes a process takes that has answered searches, by words and vectors or (`none`) by words alone:
 * `node --expose-gc bench/search-memory.ts DATABASE_URL WORKSPACE built-in|none`. The rig `search-speed` runs it.
 */
import { openDatabase } from '../src/platform/database/open.ts';
import { createLog } from '../src/platform/log.ts';
import { SCHEMA } from '../src/service/schema/migrations.ts';
import type { Tables } from '../src/service/schema/tables.ts';
import { createEmbeddings } from '../src/service/search/embeddings.ts';
import { findTickets } from '../src/service/search/find.ts';
import { soon } from './lib/load.ts';
import { readQueries, readTickets } from './search-quality.ts';

const SEARCHES = 50;
/** Texts of tickets that the model reads, too: long ones need more than searches. */
const READ = 50;

const [, , url = '', workspaceId = '', model] = process.argv;
const log = createLog({ level: 'silent', pretty: false });
const database = openDatabase<Tables>({ url, schema: SCHEMA, log, poolSize: 2 });
const embeddings = createEmbeddings({ builtIn: model === 'built-in' }, () => new Date());
await embeddings.prepare(database.db, log);
const meaning = embeddings.meaningOf(undefined);
const scope = { workspaceIds: [workspaceId], exclude: undefined, viewer: undefined };
if (meaning) await soon('the model', async () => (await meaning(database.db, 'printer', scope)) && true);
for (const { text } of readQueries().slice(0, SEARCHES))
  await findTickets(database.db, meaning, text, scope, { limit: 10 });
const texts = readTickets().map(({ title, description }) => `${title}\n${description}`);
for (const provider of embeddings.providers) await provider.embed(texts.slice(0, READ), 'document');
globalThis.gc?.();
console.log(process.memoryUsage().rss);
process.exit();
