/** A stage of a Dockerfile: its base, its name, and its instructions in order. */
export interface Stage {
  base: string;
  name: string | undefined;
  instructions: { keyword: string; text: string }[];
}

/** The stages of a Dockerfile, without comments and with continued lines joined. */
export function stagesOf(dockerfile: string): Stage[] {
  const stages: Stage[] = [];
  const lines = dockerfile.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\s*\\\n\s*/g, ' ');
  for (const [, keyword = '', text = ''] of lines.matchAll(/^(\S+) (.*)$/gm)) {
    const [base = '', , name] = text.split(' ');
    if (keyword === 'FROM') stages.push({ base, name, instructions: [] });
    else stages.at(-1)?.instructions.push({ keyword, text });
  }
  return stages;
}

/**
 * The files that `.dockerignore` allows into the build context.
 * @throws Error if `.dockerignore` uses another form than an allow list.
 */
export function letInBy(dockerignore: string): Set<string> {
  const [first, ...rest] = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (first !== '*' || !rest.every((line) => line.startsWith('!')))
    throw new Error('.dockerignore is not a list of what is let in: bench/lib/dockerfile.ts reads no other');
  return new Set(rest.map((line) => line.slice(1)));
}
