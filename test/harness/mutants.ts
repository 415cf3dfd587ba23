import { createHash } from 'node:crypto';

import ts from 'typescript';

/** One mutation of a file: replaces the text from `start` to `end`. */
export interface Mutant {
  /** The same for the same change of the same text, whatever surrounds it. */
  id: string;
  file: string;
  /** From 1. */
  line: number;
  /** Its index among those in the file with the same text, from 1. */
  nth: number;
  operator: Operator;
  /** The whole lines around it, before and after the mutation. */
  before: string;
  after: string;
}

export type Operator =
  | 'negate a condition'
  | 'drop a statement'
  | 'drop an await'
  | 'change a comparison'
  | 'swap and with or'
  | 'flip a boolean'
  | 'change a sign'
  | 'drop a filter or a sort'
  | 'skip a lock';

interface Change {
  operator: Operator;
  start: number;
  end: number;
  text: string;
}

const COMPARISONS: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
};
const LOGIC: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
};
const SIGNS: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.MinusToken]: '+',
  [ts.SyntaxKind.AsteriskToken]: '/',
};
/** Array methods: without one the result has more items, or another order. */
const FILTERS = new Set(['filter', 'toSorted', 'sort', 'toReversed', 'reverse']);
/** SQL that waits for row locks or advisory locks. */
const LOCKS: readonly [RegExp, string][] = [
  [/\bfor (?:no key )?update(?: of [\w", ]+?)?(?: skip locked| nowait)?(?=\s|$|\))/gi, ''],
  [/\bpg_advisory_(?:xact_)?lock\b/gi, 'coalesce'],
];
/** Calls that only inform people; no code depends on them. */
const INFORMATIVE_CALLS = /(^|\.|#)(log|console|logger)(\?)?\.\w+$|\.(describe|meta)$/;

/** Every mutant of a file, in the order of the text. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const changes: Change[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || isInformative(node)) return;
    changes.push(...changesOf(node, tree));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  const seen = new Map<string, number>();
  return changes
    .toSorted((a, b) => a.start - b.start)
    .map(({ operator, start, end, text }) => {
      const from = source.lastIndexOf('\n', start - 1) + 1;
      const to = source.indexOf('\n', end) === -1 ? source.length : source.indexOf('\n', end);
      const before = source.slice(from, to);
      const after = source.slice(from, start) + text + source.slice(end, to);
      const same = [file, operator, before, after].join('\0');
      const nth = (seen.get(same) ?? 0) + 1;
      seen.set(same, nth);
      const id = createHash('sha256').update(`${same}\0${nth}`).digest('hex').slice(0, 8);
      const line = tree.getLineAndCharacterOfPosition(start).line + 1;
      return { id, file, line, nth, operator, before, after };
    });
}

/** The mutated text of a file; undefined if it lacks the original text, as an older version may. */
export function mutatedText(source: string, { before, after, nth }: Mutant): string | undefined {
  const places: number[] = [];
  for (let at = source.indexOf(before); at !== -1; at = source.indexOf(before, at + 1)) {
    const end = source[at + before.length];
    if ((at === 0 || source[at - 1] === '\n') && (end === undefined || end === '\n')) places.push(at);
  }
  const place = places[nth - 1];
  return place === undefined
    ? undefined
    : source.slice(0, place) + after + source.slice(place + before.length);
}

/**
 * Draws `count` mutants, spread over the modules by their lines: as many from each module as its share, each
 * at a random line or the next one that can be mutated.
 */
export function sample(
  sources: ReadonlyMap<string, string>,
  { count, random }: { count: number; random: () => number },
): Mutant[] {
  const modules = new Map<string, { lines: number; files: { file: string; lines: number }[] }>();
  for (const [file, source] of sources) {
    const name = moduleOf(file);
    const module = modules.get(name) ?? { lines: 0, files: [] };
    const lines = source.split('\n').length;
    module.files.push({ file, lines });
    module.lines += lines;
    modules.set(name, module);
  }
  const all = [...modules.values()].reduce((sum, { lines }) => sum + lines, 0);
  const known = new Map<string, Mutant[]>();
  const found: Mutant[] = [];
  for (const [at, { files, lines }] of distribute([...modules.values()], all, count)) {
    const chosen = new Set<string>();
    // A module without mutants is skipped.
    for (let tries = 0; chosen.size < at && tries < at * 200; tries++) {
      let line = Math.floor(random() * lines);
      const place = files.find((file) => (line -= file.lines) < 0);
      if (!place) continue;
      const mutants =
        known.get(place.file) ?? mutantsOf(place.file, sources.get(place.file) ?? '').toSorted(byLine);
      known.set(place.file, mutants);
      const next = mutants.find((one) => one.line >= line + place.lines + 1);
      const onSameLine = mutants.filter((one) => one.line === next?.line && !chosen.has(one.id));
      const mutant = onSameLine[Math.floor(random() * onSameLine.length)];
      if (!mutant) continue;
      chosen.add(mutant.id);
      found.push(mutant);
    }
  }
  return found;
}

const byLine = (a: Mutant, b: Mutant) => a.line - b.line;

/** A module of the architecture: a folder of `src`; the files next to the folders count as one. */
function moduleOf(file: string): string {
  const [, folder = '', rest] = file.split('/');
  return rest === undefined ? 'src' : folder;
}

/** Distributes `count` by the largest remainders. */
function distribute<Item extends { lines: number }>(
  items: readonly Item[],
  all: number,
  count: number,
): [number, Item][] {
  const exact = items.map((item) => ({ item, share: (item.lines / all) * count }));
  const left = count - exact.reduce((sum, { share }) => sum + Math.floor(share), 0);
  const upwards = new Set(
    exact
      .toSorted((a, b) => (b.share % 1) - (a.share % 1))
      .slice(0, left)
      .map(({ item }) => item),
  );
  return exact.map(({ item, share }) => [Math.floor(share) + (upwards.has(item) ? 1 : 0), item]);
}

function changesOf(node: ts.Node, tree: ts.SourceFile): Change[] {
  const replaced = (operator: Operator, what: ts.Node, text: string): Change => ({
    operator,
    start: what.getStart(tree),
    end: what.getEnd(),
    text,
  });
  if (ts.isIfStatement(node) || ts.isWhileStatement(node))
    return [replaced('negate a condition', node.expression, `!(${node.expression.getText(tree)})`)];
  if (ts.isConditionalExpression(node))
    return [replaced('negate a condition', node.condition, `!(${node.condition.getText(tree)})`)];
  if (ts.isExpressionStatement(node))
    return isDroppable(node.expression) ? [replaced('drop a statement', node, ';')] : [];
  // A missing result fails at once; only an await without a result can go unnoticed.
  if (ts.isAwaitExpression(node) && ts.isExpressionStatement(node.parent))
    return [replaced('drop an await', node, `(${node.expression.getText(tree)})`)];
  if (ts.isBinaryExpression(node)) {
    const { operatorToken: token } = node;
    const change = (operator: Operator, table: Partial<Record<ts.SyntaxKind, string>>): Change[] => {
      const text = table[token.kind];
      return text === undefined ? [] : [replaced(operator, token, text)];
    };
    // Brackets keep the precedence next to similar operators.
    const isSwapped = LOGIC[token.kind] !== undefined;
    const { left, right } = node;
    return [
      ...change('change a comparison', COMPARISONS),
      ...change('change a sign', SIGNS),
      ...(isSwapped
        ? [
            replaced(
              'swap and with or',
              node,
              `((${left.getText(tree)}) ${LOGIC[token.kind] ?? ''} (${right.getText(tree)}))`,
            ),
          ]
        : []),
    ];
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [replaced('flip a boolean', node, 'false')];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [replaced('flip a boolean', node, 'true')];
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    return changesOfCall(node, node.expression);
  if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
    return LOCKS.flatMap(([lock, text]) =>
      [...node.getText(tree).matchAll(lock)].map(({ index, 0: found }) => ({
        operator: 'skip a lock' as const,
        text,
        start: node.getStart(tree) + index,
        end: node.getStart(tree) + index + found.length,
      })),
    );
  return [];
}

function changesOfCall(
  call: ts.CallExpression,
  { expression: of, name }: ts.PropertyAccessExpression,
): Change[] {
  const dropped = (operator: Operator): Change => ({
    operator,
    start: of.getEnd(),
    end: call.getEnd(),
    text: '',
  });
  if (FILTERS.has(name.text)) return [dropped('drop a filter or a sort')];
  if (name.text !== 'forUpdate' && name.text !== 'forNoKeyUpdate') return [];
  // `skipLocked` and `noWait` only work with the lock.
  const { parent } = call;
  const further = ts.isPropertyAccessExpression(parent) && /^(skipLocked|noWait)$/.test(parent.name.text);
  const end = further && ts.isCallExpression(parent.parent) ? parent.parent.getEnd() : call.getEnd();
  return [{ operator: 'skip a lock', start: of.getEnd(), end, text: '' }];
}

/** A call or an assignment, which has an effect. */
function isDroppable(expression: ts.Expression): boolean {
  if (ts.isAwaitExpression(expression)) return isDroppable(expression.expression);
  if (ts.isVoidExpression(expression)) return isDroppable(expression.expression);
  if (ts.isCallExpression(expression)) return expression.expression.kind !== ts.SyntaxKind.SuperKeyword;
  return (
    ts.isBinaryExpression(expression) &&
    expression.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    expression.operatorToken.kind <= ts.SyntaxKind.LastAssignment
  );
}

/** Text for people only: logs, errors, descriptions. */
function isInformative(node: ts.Node): boolean {
  if (ts.isThrowStatement(node)) return true;
  const call = ts.isExpressionStatement(node) ? node.expression : node;
  return ts.isCallExpression(call) && INFORMATIVE_CALLS.test(call.expression.getText());
}
