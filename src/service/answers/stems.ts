import { plainText } from '../../platform/text/plain-text.ts';
import type { ServiceDb } from '../handler.ts';
import { contentStems } from '../search/index/documents.ts';
import type { Stems } from './similarity.ts';

/** Returns the word stems of each Markdown text in the search's language, in the order of the texts. */
export async function stemsOfTexts(db: ServiceDb, texts: readonly string[]): Promise<Stems[]> {
  const stems = await contentStems(db, texts.map(plainText));
  return stems.map((each) => [...new Set(each)].toSorted());
}
