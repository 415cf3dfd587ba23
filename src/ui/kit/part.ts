import { type ComponentType, lazy } from 'react';

const LOOK_AGAIN_MS = 1_000;

/**
 * A part of the page that is loaded when it is first shown. It waits while the server cannot be reached; only what an
 * answering server does not have fails: the page is then of another version.
 */
export const part = <Props>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await loadPart(load) }));

/** Loads what a part of the page needs, as `part` does. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch {
    while (!(await isReached())) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    return load();
  }
}

const isReached = () =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );
