/** Characters of a passage: readable at a glance in chat, and enough for a numbered list. */
const PASSAGE_CHARACTERS = 1_200;
/** Maximum number of passages considered per document. */
const PASSAGES_AT_MOST = 60;

/** Splits a document into passages of whole paragraphs, in order. Fenced code stays together. */
export function passagesIn(markdown: string): string[] {
  const passages: string[] = [];
  let open = '';
  for (const paragraph of paragraphsOf(markdown)) {
    if (open !== '' && open.length + paragraph.length > PASSAGE_CHARACTERS) {
      passages.push(open);
      open = '';
    }
    open = open === '' ? paragraph : `${open}\n\n${paragraph}`;
  }
  if (open !== '') passages.push(open);
  return passages.slice(0, PASSAGES_AT_MOST);
}

function paragraphsOf(markdown: string): string[] {
  const paragraphs: string[] = [];
  let fenced: string | undefined;
  for (const piece of markdown.split(/\n[ \t]*\n/)) {
    const paragraph = fenced === undefined ? piece : `${fenced}\n\n${piece}`;
    const fences = paragraph.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0;
    fenced = fences % 2 === 1 ? paragraph : undefined;
    if (fenced === undefined && paragraph.trim() !== '') paragraphs.push(paragraph.trim());
  }
  if (fenced !== undefined) paragraphs.push(fenced.trim());
  return paragraphs;
}
