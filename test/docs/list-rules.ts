/** `npm run rules`: each rule of docs/chat-rules.md with the tests that bear its number; fails where one has none. */
import { rulesAndTests } from './rules.ts';

const rules = rulesAndTests();
for (const { rule, today, tests } of rules) {
  console.log(`${rule} (${today ?? 'does not say where it stands'})`);
  for (const { name, file } of tests) console.log(`  ${file}: ${name}`);
}
const missing = rules.filter(({ tests }) => tests.length === 0).map(({ rule }) => rule);
if (missing.length > 0) {
  console.error(`\nno test bears the number of ${missing.join(', ')}`);
  process.exitCode = 1;
}
