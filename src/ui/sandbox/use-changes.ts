import { useEffect, useReducer } from 'react';

/** Draws a component again each time one of the page's sources of state (`store`, `views`, `inspector`) has changed. */
export function useChanges(source: EventTarget): void {
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    const onChange = () => drawAgain();
    source.addEventListener('change', onChange);
    // What changed between the first drawing and now.
    onChange();
    return () => source.removeEventListener('change', onChange);
  }, [source]);
}
